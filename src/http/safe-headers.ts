/**
 * Headers of every answer, whoever makes it. Nothing is kept by browsers and proxies, for what looks harmless today may carry a token tomorrow; and
 * nothing is taken for another type than it says.
 */
export const SAFE_HEADERS = Object.freeze({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
