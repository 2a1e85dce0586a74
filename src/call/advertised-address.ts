import { explained } from '../errors/index.ts';
import type { Settings } from './settings.ts';

/** What tokens that lead clients to the controller are made from. */
export interface Advertised {
  readonly settings: Pick<Settings, 'address'>;
  /** Whether the host has set `settings.address`. */
  readonly isAddressSet: boolean;
}

/** A remedy, for operators: in the log, in health reasons and in errors. */
export const SET_ADDRESS =
  'set settings.address, an option of ManagementController.open, to where clients reach this controller, such as https://overlay.example.com';

/**
 * The address to which tokens lead clients. The default would lead every device to itself, and its user would learn that only when enrolling fails.
 * @throws ApiError `NOT_CONFIGURED` if the host has set none
 */
export const advertisedAddress = ({ settings, isAddressSet }: Advertised): string => {
  if (!isAddressSet)
    throw explained('NOT_CONFIGURED', `settings.address was never set, so a token could not lead clients here: ${SET_ADDRESS}`);
  return settings.address;
};

/**
 * Where routers reach the controller, as they write it: `tls:one.example:1280`.
 * @param ctrlAddress as the host has said it. Default: that of clients
 * @returns undefined if the host has said neither
 */
export const routerAddress = ({ settings, isAddressSet }: Advertised, ctrlAddress?: string): string | undefined =>
  ctrlAddress ?? (isAddressSet ? `tls:${hostAndPortOf(settings.address)}` : undefined);

/** A URL leaves the usual port out; outside of one there is no usual port. */
const hostAndPortOf = (address: string): string => {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
};
