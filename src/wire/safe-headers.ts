/**
 * Headers of every answer, also of refusals below the controller: no caching, because an answer that is harmless today may contain a token tomorrow,
 * and no content type sniffing.
 */
export const SAFE_HEADERS = Object.freeze({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
