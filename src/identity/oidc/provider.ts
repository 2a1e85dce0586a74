import { reachedPath } from '../../call/advertised-address.ts';
import type { Call } from '../../call/call.ts';
import type { Provider } from '../../call/provider.ts';
import { ApiError, explained } from '../../contract/errors/index.ts';
import { withSubcode } from '../../contract/errors/subcode.ts';
import { canonicalHost } from '../../crypto/pki/server-names.ts';

/**
 * @throws ApiError `NOT_CONFIGURED` if the provider is off. Only in-process callers can see this error: over HTTP, the paths then do not
 * exist
 */
export const providerOf = ({ core }: Pick<Call, 'core'>): Provider => {
  if (!core.provider) throw explained('NOT_CONFIGURED', 'the OpenID provider is off: open the controller with the option oidc');
  return core.provider;
};

/**
 * The issuer for the address that the client used: each address of this controller is a separate issuer.
 * @throws ApiError `NOT_FOUND` if the host does not belong to this controller, so that no URL is built from a forged `Host`
 */
export const reachedIssuer = async (call: Call): Promise<string> => {
  const { address } = call.core.settings;
  if (call.host === undefined) return `${address}/oidc`;
  const reached = HOST.test(call.host) ? URL.parse(`${new URL(address).protocol}//${call.host}`) : null;
  if (reached && (await isOwnOrigin(call, reached))) return `${reached.origin}${reachedPath(call, reached.host)}/oidc`;
  const cause = { code: 'UNHANDLED', message: `host ${call.host.slice(0, 256)} is not a host of this controller` };
  throw withSubcode(new ApiError('NOT_FOUND', { cause }), 'ADDRESS_UNKNOWN');
};

/** A host name or IP address, optionally with a port (RFC 9110, 7.2). */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;

/**
 * True if scheme, host and port of a URL are those of this controller: its address, one of its additional hosts, or a name in its
 * certificate.
 */
export const isOwnOrigin = async (call: Call, url: URL): Promise<boolean> => {
  const ownUrl = new URL(call.core.settings.address);
  if (url.protocol !== ownUrl.protocol) return false;
  if (url.host === ownUrl.host) return true;
  const { hosts } = providerOf(call);
  if (hosts.includes(url.host) || (url.port === ownUrl.port && hosts.includes(url.hostname))) return true;
  if (url.port !== ownUrl.port) return false;
  const { certificate } = await call.core.pki.networkKey();
  const name = canonicalHost(url.hostname);
  return name !== undefined && [...certificate.dnsNames, ...certificate.ipAddresses].some((known) => canonicalHost(known) === name);
};
