import { explained } from '../contract/errors/index.ts';
import type { Call } from './call.ts';
import type { Settings } from './settings.ts';

/** The address in tokens, at which clients connect, and whether the host has set it. */
export interface Advertised {
  readonly settings: Pick<Settings, 'address'>;
  /** True if the host has set `settings.address`. */
  readonly isAddressSet: boolean;
}

/** Tells operators how to set the address: in the log, in health reasons and in errors. */
export const SET_ADDRESS =
  'set settings.address, an option of ManagementController.open, to the address at which clients reach this controller, such as https://overlay.example.com';

/**
 * The address in tokens, at which clients connect. The default is an error, because it would make every device connect to itself, and
 * nobody would notice before its enrollment fails.
 * @param options.overHttp true for clients that need no TLS: an application of the host may accept a password over plain http. Default:
 * false
 * @throws ApiError `NOT_CONFIGURED` if such clients cannot reach the controller at its address
 */
export const advertisedAddress = (advertised: Advertised, { overHttp = false }: { readonly overHttp?: boolean } = {}): string => {
  const { address } = advertised.settings;
  const fault = addressFault(advertised);
  const isAccepted = fault === undefined || (overHttp && fault === withoutTls(address));
  if (!isAccepted) throw explained('NOT_CONFIGURED', fault);
  return address;
};

/**
 * Why devices and routers cannot enroll at the address, and what to set. They use only the host of an address, and require TLS.
 * @returns undefined if they can
 */
export const addressFault = ({ settings: { address }, isAddressSet }: Advertised): string | undefined => {
  if (!isAddressSet) return `settings.address is not set, so clients could not connect to the address in a token: ${SET_ADDRESS}`;
  if (pathOf(address) !== '') return `clients cannot enroll below a path, and settings.address is ${address}: ${AT_THE_ROOT}`;
  return new URL(address).protocol === 'https:' ? undefined : withoutTls(address);
};

const AT_THE_ROOT = 'also mount the controller at the root of a host or port, and use that address as settings.address there';
const withoutTls = (address: string): string =>
  `devices and routers need https to enroll, and settings.address is ${address}: serve the controller with TLS, or behind a proxy that does, and set settings.address to that`;

/** The path of an address, e.g. `/net`; empty at the root. Most addresses have none, and are not parsed. */
export const pathOf = (address: string): string =>
  address.includes('/', SCHEME.length) ? new URL(address).pathname.replace(/\/$/, '') : '';

const SCHEME = 'https://';

/** The request host and the mount by which a client reached the controller, as the client reports them. */
type Reached = Pick<Call, 'host' | 'mount'> & { readonly core: Pick<Call['core'], 'settings'> };

/**
 * The path below which a client reaches the controller: the path of `settings.address` if the client used that host, otherwise the mount.
 * @param host the host that the client used
 */
export const reachedPath = ({ core, mount }: Reached, host: string): string => {
  const { address } = core.settings;
  return (new URL(address).host === host && pathOf(address)) || mount;
};

/**
 * The address below which clients reach the controller: `settings.address`, followed by the mount if that is on the same host.
 * @returns undefined if it is unknown, because the controller is mounted below a path of another host
 */
export const baseAddress = (call: Reached): string | undefined => {
  const { address } = call.core.settings;
  if (call.mount === '' || pathOf(address) !== '') return address;
  const { protocol, host } = new URL(address);
  return URL.parse(`${protocol}//${call.host}`)?.host === host ? address + call.mount : undefined;
};

/**
 * The address at which routers reach the controller, in their notation: `tls:one.example:1280`.
 * @param ctrlAddress as configured by the host. Default: derived from the address of clients
 * @returns undefined if the host has configured neither, or an address at which routers cannot enroll
 */
export const routerAddress = (advertised: Advertised, ctrlAddress?: string): string | undefined =>
  ctrlAddress ?? (addressFault(advertised) === undefined ? `tls:${hostAndPortOf(advertised.settings.address)}` : undefined);

/** A URL omits the port 443 of https; the notation of routers has no default port. */
const hostAndPortOf = (address: string): string => {
  const { hostname, port } = new URL(address);
  return `${hostname}:${port || 443}`;
};
