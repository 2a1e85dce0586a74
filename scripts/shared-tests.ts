/** Runs test files in this process, one after another: `node scripts/shared-tests.ts FILE...`. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href);
