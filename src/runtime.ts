/**
 * Refuses runtimes that are too old, by a sentence in place of the error of the first function that is missing. The entry points of `src/` import this module
 * first. The client does not: it has no need for the latest functions until it follows changes.
 */

// Node has it since version 22, Deno, Bun, workers and browsers since 2024.
if (!('withResolvers' in Promise))
  throw new Error('overlay-controller needs Node 22.18 or later, or another runtime that has Promise.withResolvers');
