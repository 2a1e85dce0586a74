import { reachedPath } from '../../../call/advertised-address.ts';
import type { Call } from '../../../call/call.ts';
import type { Provider } from '../../../call/provider.ts';
import { ApiError, explained } from '../../../errors/index.ts';
import { canonicalHost } from '../../../pki/server-names.ts';

/** @throws ApiError `NOT_CONFIGURED` in process, where the provider is off: over HTTP its paths are unknown then */
export const providerOf = ({ core }: Pick<Call, 'core'>): Provider => {
  if (!core.provider) throw explained('NOT_CONFIGURED', 'the OpenID provider is off: open the controller with the option oidc');
  return core.provider;
};

/**
 * The issuer, as the client reached it: each address of this controller is an issuer of its own.
 * @throws ApiError `NOT_FOUND` for a host that is none of this controller's: nothing may be built on what a client made up
 */
export const reachedIssuer = async (call: Call): Promise<string> => {
  const { address } = call.core.settings;
  if (call.host === undefined) return `${address}/oidc`;
  const asked = HOST.test(call.host) ? URL.parse(`${new URL(address).protocol}//${call.host}`) : null;
  if (asked && (await isOwn(call, asked))) return `${asked.origin}${reachedPath(call, asked.host)}/oidc`;
  throw new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message: `host ${call.host.slice(0, 256)} is none of this controller` } });
};

/** A name or an address, maybe with a port (RFC 9110, 7.2). */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;

/** True if scheme, host and port of a URL are those of this controller: its address, one of its further hosts, or a name of its certificate. */
export const isOwn = async (call: Call, asked: URL): Promise<boolean> => {
  const own = new URL(call.core.settings.address);
  if (asked.protocol !== own.protocol) return false;
  if (asked.host === own.host) return true;
  const { hosts } = providerOf(call);
  if (hosts.includes(asked.host) || (asked.port === own.port && hosts.includes(asked.hostname))) return true;
  if (asked.port !== own.port) return false;
  const { certificate } = await call.core.pki.networkKey();
  const name = canonicalHost(asked.hostname);
  return name !== undefined && [...certificate.dnsNames, ...certificate.ipAddresses].some((known) => canonicalHost(known) === name);
};
