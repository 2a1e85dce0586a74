/**
 * A controller behind its own HTTPS server: `npm start`. What a host would write for itself, with options in place of configuration;
 * the parts are in `server/`.
 */
import { listen } from './server/listen.ts';
import { start } from './server/start.ts';

await start(listen);
