/**
 * A controller behind its own HTTPS server: `npm start`. What a host would write for itself, with options in place of configuration;
 * the parts are in `server/`.
 */
import { enableCompileCache } from 'node:module';

// What Node makes of the sources is kept in the system's temporary folder: later starts take half the time, and less memory.
enableCompileCache();
const [{ listen }, { start }] = await Promise.all([import('./server/listen.ts'), import('./server/start.ts')]);

await start(listen);
