/**
 * Headers of every answer, including refusals before a request reaches the controller. They forbid caching, because an answer that is
 * harmless today may contain a token tomorrow, and content type sniffing.
 */
export const SAFE_HEADERS = Object.freeze({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
