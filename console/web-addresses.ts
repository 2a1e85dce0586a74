/** Checks of the addresses in the options of the console. */

const MAX_LENGTH = 2000;
/** A host that no address of a host application has: relative addresses stay at it. */
const HERE = 'https://console.invalid';

/**
 * True for scheme, host and port alone. Hosts of URLs may contain `;`, `,` and `*`, which would add a directive or a policy, or allow any
 * site.
 */
export const isOrigin = (origin: unknown): boolean =>
  typeof origin === 'string' &&
  /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(origin) &&
  URL.parse(origin)?.origin === origin;

/** An address without credentials, blanks and control characters, as a URL. */
const parsed = (address: unknown, base?: string): URL | undefined => {
  if (typeof address !== 'string' || address === '' || address.length > MAX_LENGTH || !/^[^\s\\\p{Cc}]+$/u.test(address)) return undefined;
  const url = URL.parse(address, base);
  return url && url.username === '' && url.password === '' ? url : undefined;
};

/** True for an absolute http or https address, and for an address relative to the console that leads to no other host. */
export const isLinkAddress = (address: unknown): boolean => {
  const url = parsed(address, `${HERE}/console/`);
  return url !== undefined && (url.origin === HERE || (/^https?:\/\//.test(String(address)) && isOrigin(url.origin)));
};

/** The origin of a page that can be framed by a page over HTTPS; undefined for any other address. */
export const framedOrigin = (address: unknown): string | undefined => {
  const url = parsed(address);
  if (!url || !isOrigin(url.origin)) return undefined;
  return url.protocol === 'https:' || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname) ? url.origin : undefined;
};
