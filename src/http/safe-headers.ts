/**
 * Headers of every answer, also of refusals below the controller. Browsers and proxies cache nothing, because an answer that looks harmless today may carry a
 * token tomorrow, and guess no content type.
 */
export const SAFE_HEADERS = Object.freeze({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
