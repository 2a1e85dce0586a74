/** Redirect URIs of logins and logouts. They are compared part by part, never as text with wildcards (RFC 8252, section 8.10). */

/** The parts of a redirect URI. User info, query, fragment, percent-encoding, `.` and `..` are not allowed. */
interface Parts {
  readonly scheme: string;
  readonly host: string;
  /** Digits; in a pattern, `*` for any explicit port; empty if there is none. */
  readonly port: string;
  readonly path: string;
}

const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}|\*))?((?:\/[A-Za-z0-9._~!$&'()*+,;=:@-]*)*)$/;
const MAX_LENGTH = 2048;

const partsOf = (address: string): Parts | undefined => {
  const [, scheme, host, port = '', path = ''] = (address.length <= MAX_LENGTH && ADDRESS.exec(address)) || [];
  if (scheme === undefined || host === undefined || path.split('/').some((step) => step === '.' || step === '..')) return undefined;
  return port === '*' || port === '' || (Number(port) >= 1 && Number(port) <= 65_535) ? { scheme, host, port, path } : undefined;
};

/** Schemes that execute code or read files in browsers. */
const FORBIDDEN_SCHEMES: readonly string[] = ['javascript', 'data', 'vbscript', 'file', 'blob', 'about'];

// Examples: https://app.example.org/callback, http://127.0.0.1:*/callback, my.app://callback.
/** True if a host may register this as a redirect URI of a client. */
export const isRedirectPattern = (pattern: string): boolean => {
  const parts = partsOf(pattern);
  return parts !== undefined && !FORBIDDEN_SCHEMES.includes(parts.scheme);
};

/** True if an address matches one of the patterns. */
export const isAllowedAddress = (patterns: readonly string[], address: string): boolean => {
  const given = partsOf(address);
  if (!given || given.port === '*') return false;
  return patterns.some((pattern) => {
    const allowed = partsOf(pattern);
    return (
      allowed !== undefined &&
      allowed.scheme === given.scheme &&
      allowed.host === given.host &&
      allowed.path === given.path &&
      (allowed.port === '*' ? given.port !== '' : allowed.port === given.port)
    );
  });
};

/** The patterns for one issuer: those that are only a path are at its address. */
export const patternsAt = (issuer: string, patterns: readonly string[]): readonly string[] =>
  patterns.map((pattern) => (pattern.startsWith('/') ? `${issuer.slice(0, -'/oidc'.length)}${pattern}` : pattern));

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** True if one of the patterns has this origin: scheme, host and port. Browsers omit the default port of a scheme. */
export const isOriginOf = (patterns: readonly string[], { protocol, host }: URL): boolean => {
  const given = partsOf(`${protocol}//${host}`);
  return patterns.some((pattern) => {
    const allowed = partsOf(pattern);
    if (!allowed || !given || allowed.scheme !== given.scheme || allowed.host !== given.host) return false;
    const standard = DEFAULT_PORTS[allowed.scheme] ?? '';
    return allowed.port === '*' || (allowed.port || standard) === (given.port || standard);
  });
};

/** Appends parameters to an address, which must not have a query. Undefined parameters are omitted. */
export const withParameters = (address: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return query === '' ? address : `${address}?${query}`;
};

const loopback = (path: string): readonly string[] => [
  `openziti://auth/${path}`,
  ...['http', 'https'].flatMap((scheme) => ['127.0.0.1', 'localhost'].map((host) => `${scheme}://${host}:*/auth/${path}`)),
];

/** Redirect URIs of common SDKs, tunnelers and consoles. */
export const DEFAULT_REDIRECT_URIS: readonly string[] = loopback('callback');
export const DEFAULT_POST_LOGOUT_URIS: readonly string[] = loopback('logout');
