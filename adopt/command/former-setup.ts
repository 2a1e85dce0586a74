import type { KeyPair } from '../../src/index.ts';
import type { AdoptedAuthority } from '../index.ts';

/** Facts about a former controller beside its database, from its configuration or the command line. */
export interface FormerSetup {
  /** The file of its database. */
  readonly database?: string | undefined;
  readonly signer?: AdoptedAuthority['signer'] | undefined;
  readonly roots?: string | undefined;
  readonly server?: KeyPair | undefined;
  readonly alternatives?: readonly KeyPair[] | undefined;
  readonly trustDomain?: string | undefined;
  /** The files of the private keys. */
  readonly keyFiles?: readonly string[] | undefined;
  /** Under which clients reach it, e.g. `https://controller.example.org:1280`. */
  readonly address?: string | undefined;
  /** Where it listens for clients. */
  readonly listener?: Listener | undefined;
  /** Where it listens for routers, unless that is the same. */
  readonly routerListener?: Listener | undefined;
  /** Where routers reach it, e.g. `tls:controller.example.org:6262`. */
  readonly routerAddress?: string | undefined;
  /** The id by which routers know it. */
  readonly controllerId?: string | undefined;
  /** Options of the server that have the meaning of its settings, e.g. `['--session-timeout-minutes', '60']`. */
  readonly options?: readonly string[] | undefined;
}

/** The address, `HOST:PORT`, that a server has for routers unless it is given another one. */
export const defaultRouterAddress = ({ address, routerListener }: FormerSetup): string | undefined => {
  const api = address === undefined ? undefined : new URL(address);
  return api && `${api.hostname}:${routerListener?.port ?? (api.port || '443')}`;
};

/** Where routers reach the former controller: `HOST:PORT`. */
export const formerRouterAddress = (setup: FormerSetup): string | undefined =>
  /^(?:tls:)?([^\s@/]+:\d+)$/.exec(setup.routerAddress ?? '')?.[1] ?? defaultRouterAddress(setup);

export interface Listener {
  readonly host: string;
  readonly port: number;
}
