/**
 * Kysely, once it is used: for the statements of hosts, and for dialects. The stores compose their own, so that no start waits for the largest of its
 * dependencies. By `require`, because what hosts are given is not asynchronous; it loads the same module as `import`.
 */
import { createRequire } from 'node:module';

/** The package `kysely`. */
export const kysely = (): typeof import('kysely') => require('kysely');

const require = createRequire(import.meta.url);
