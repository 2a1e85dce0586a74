/** A header by its lower-case name. */
type Header = (name: string) => string | undefined;

const DIRECTIVE = /(?:^|,)\s*([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|([^",\s]*)))?/gi;

/**
 * The remaining freshness lifetime of a response in a private cache (RFC 9111, section 4.2): its lifetime less its `Age`.
 * @returns ms; 0 if the response must not be cached or its headers are invalid; undefined if it has no caching headers
 */
export const freshnessOf = (header: Header, now: number): number | undefined => {
  const directives = [...(header('cache-control') ?? '').matchAll(DIRECTIVE)].map(([, name = '', quoted, plain]) => ({
    name: name.toLowerCase(),
    value: quoted ?? plain ?? '',
  }));
  if (directives.some(({ name }) => name === 'no-store' || name === 'no-cache')) return 0;
  const maxAges = directives.filter(({ name }) => name === 'max-age').map(({ value }) => secondsIn(value) ?? 0);
  const lifetime = maxAges.length > 0 ? Math.min(...maxAges) * 1000 : untilExpiry(header, now);
  return lifetime === undefined ? undefined : Math.max(0, lifetime - (secondsIn(header('age') ?? '') ?? 0) * 1000);
};

const secondsIn = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);

/** The time until `Expires`. An invalid date, such as `0`, counts as past. */
const untilExpiry = (header: Header, now: number): number | undefined => {
  const expires = header('expires');
  if (expires === undefined) return undefined;
  const date = Date.parse(header('date') ?? '');
  const lifetime = Date.parse(expires) - (Number.isNaN(date) ? now : date);
  return Number.isNaN(lifetime) ? 0 : lifetime;
};
