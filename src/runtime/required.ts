/**
 * Rejects runtimes that are too old with a clear message. The entry points of `src/` import this module first. The client does not import
 * it, because it does not use the latest functions until it follows changes.
 */

// Available in Node since version 22; in Deno, Bun, workers and browsers since 2024.
if (!('withResolvers' in Promise))
  throw new Error('overlay-controller needs Node 22.18 or later, or another runtime with Promise.withResolvers');
