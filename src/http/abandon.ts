/**
 * Asks no more of a source. Not waited for: one that is in the middle of something settles when it can, and what it fails with then is of no interest.
 */
export const abandon = (source: AsyncIterator<unknown>): void => void source.return?.().catch(() => undefined);
