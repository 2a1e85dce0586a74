#!/usr/bin/env node
/**
 * The command `overlay-controller`, and `npm start`: a controller behind its own HTTPS server, with options in place of configuration.
 */
import { enableCompileCache } from 'node:module';

// Node's compile cache lies in the system's temporary folder: later starts take half the time, and less memory.
enableCompileCache();
const [{ listen }, { start }] = await Promise.all([import('./listen.ts'), import('./start.ts')]);

await start(listen);
