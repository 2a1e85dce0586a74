/**
 * Loads Kysely on first use, for the host's own statements and for dialects. The stores compose their own statements, so startup does not
 * wait for the largest dependency. Uses `require`, because the functions for hosts are synchronous; it loads the same module as `import`.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The package `kysely`. In a CommonJS bundle, which has no `import.meta.url`, it is looked up from the working directory. */
export const kysely = (): typeof import('kysely') => createRequire(import.meta.url ?? join(process.cwd(), 'bundle.js'))('kysely');
