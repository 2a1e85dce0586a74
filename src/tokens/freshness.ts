/** A header by its lower-case name. */
type Header = (name: string) => string | undefined;

const DIRECTIVE = /(?:^|,)\s*([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|([^",\s]*)))?/gi;

/**
 * For how long an answer may be kept by a cache of one user (RFC 9111, section 4.2): less the time that it has spent in other caches.
 * @returns ms, 0 where it must not be kept or says it in a way that makes no sense; undefined where it does not say
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

/** A date that is none, such as `0`, is in the past. */
const untilExpiry = (header: Header, now: number): number | undefined => {
  const expires = header('expires');
  if (expires === undefined) return undefined;
  const date = Date.parse(header('date') ?? '');
  const lifetime = Date.parse(expires) - (Number.isNaN(date) ? now : date);
  return Number.isNaN(lifetime) ? 0 : lifetime;
};
