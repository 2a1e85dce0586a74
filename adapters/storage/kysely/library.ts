/**
 * Loads Kysely on first use, for the host's own statements and for dialects. The stores compose their own statements, so startup does not wait for the largest
 * dependency. Uses `require`, because the functions for hosts are synchronous; it loads the same module as `import`.
 */
import { createRequire } from 'node:module';

/** The package `kysely`. */
export const kysely = (): typeof import('kysely') => require('kysely');

const require = createRequire(import.meta.url);
