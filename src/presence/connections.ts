import type { Clock } from '../platform/platform.ts';
import { type ConnectionStatus, createCarriedIdentities } from './carried-identities.ts';
import type { PresentRouter, RouterKey, RouterState } from './present-router.ts';
import { createRemoteControllers, type RemoteControllers } from './remote-controllers.ts';

/** One connection of a router to this controller. */
export interface Connection extends PresentRouter {
  /** Aborted when it is closed, with an error as reason. */
  readonly signal: AbortSignal;
  /** Version of the row by which it was admitted. */
  readonly version: number;
  update(changes: Partial<RouterState>): void;
  addIdentity(identityId: string): void;
  removeIdentity(identityId: string): void;
  close(reason: string): void;
}

/** Called when a router has connected here, changes its state, or is disconnected: then without its connection. */
export type ConnectionListener = (routerId: string, connection: Connection | undefined) => void;

/**
 * The routers that are connected, here and to other controllers on the store, and the identities that are connected to routers of this controller. In memory
 * only, because presence ends with the process.
 */
export interface Connections {
  /**
   * Opens the connection of a router, and closes its older one.
   * @param version of the row by which the router was admitted
   */
  open(key: RouterKey, state: RouterState, version?: number): Connection;
  /** The state of a router at any controller; undefined if it is not connected, or its row does not allow it. */
  stateOf(row: RouterKey & { readonly disabled: boolean }): RouterState | undefined;
  /** Closes the connection of a router here if its row does not allow it. */
  closeUnlessAllowed(row: RouterKey & { readonly disabled: boolean }): void;
  /** The connected routers; `reached`: those that have reported their listeners. */
  keys(which?: 'reached'): readonly RouterKey[];
  /** Number of routers that are connected to this controller. */
  readonly localCount: number;
  /** The routers of other controllers. */
  readonly remote: Pick<RemoteControllers, 'replace' | 'has'>;
  /** Host names and addresses of all routers but this one. */
  hostsBeside(routerId: string): readonly string[];
  statusOf(identityId: string): ConnectionStatus;
  /** @param revision of the change that closes it; a router that was admitted after it stays. Default: it is closed in any case */
  closeRouter(routerId: string, reason: string, revision?: number): void;
  /** Removes a deleted identity. */
  removeIdentity(identityId: string): void;
  /** Sets the listener, of which there is one. */
  onChange(listener: ConnectionListener): void;
  close(): void;
}

/** @param unknownMs how long an identity whose router was lost counts as unknown */
export const createConnections = (clock: Clock, unknownMs: number): Connections => {
  const byRouter = new Map<string, Connection>();
  const remote = createRemoteControllers(clock);
  const carried = createCarriedIdentities<Connection>(clock, unknownMs);
  let changed: ConnectionListener = () => undefined;

  const open: Connections['open'] = (key, first, version = 0) => {
    byRouter.get(key.id)?.close('the router has connected again');
    const ending = new AbortController();
    let state = first;
    const connection: Connection = {
      key,
      version,
      since: clock.now(),
      signal: ending.signal,
      get state() {
        return state;
      },
      update: (changes) => {
        state = { ...state, ...changes };
        if (!ending.signal.aborted) changed(key.id, connection);
      },
      addIdentity: (identityId) => {
        if (!ending.signal.aborted) carried.add(connection, identityId);
      },
      removeIdentity: (identityId) => carried.remove(connection, identityId),
      close: (reason) => {
        if (ending.signal.aborted) return;
        byRouter.delete(key.id);
        carried.removeConnection(connection);
        ending.abort(new Error(reason));
        changed(key.id, undefined);
      },
    };
    byRouter.set(key.id, connection);
    changed(key.id, connection);
    return connection;
  };
  const all = (): readonly PresentRouter[] => [...byRouter.values(), ...remote.all()];

  return {
    open,
    stateOf: ({ id, enrolledBy, disabled }) => {
      if (disabled) return undefined;
      const local = byRouter.get(id);
      const first = local?.key.enrolledBy === enrolledBy ? local : undefined;
      return remote.of({ id, enrolledBy }).reduce<PresentRouter | undefined>(latest, first)?.state;
    },
    closeUnlessAllowed: ({ id, enrolledBy, disabled }) => {
      const local = byRouter.get(id);
      if (disabled) local?.close(DISABLED);
      else if (local?.key.enrolledBy !== enrolledBy) local?.close(MUST_ENROLL);
    },
    keys: (which) => all().flatMap(({ key, state }) => (which === undefined || state.reached !== undefined ? [key] : [])),
    get localCount() {
      return byRouter.size;
    },
    remote,
    hostsBeside: (routerId) =>
      all()
        .filter(({ key }) => key.id !== routerId)
        .flatMap(({ state: { reached } }) => (reached ? [reached.hostname, ...Object.values(reached.supportedProtocols).map(hostOf)] : [])),
    statusOf: carried.statusOf,
    closeRouter: (routerId, reason, revision = Number.POSITIVE_INFINITY) => {
      const connection = byRouter.get(routerId);
      if (connection && revision > connection.version) connection.close(reason);
    },
    removeIdentity: carried.removeIdentity,
    onChange: (listener) => {
      changed = listener;
    },
    close: () => {
      for (const connection of [...byRouter.values()]) connection.close('the controller was closed');
    },
  };
};

/** The later of two connections of a router, among those with listeners if there are any. */
const latest = (one: PresentRouter | undefined, other: PresentRouter): PresentRouter => {
  if (!one) return other;
  if (!one.state.reached !== !other.state.reached) return one.state.reached ? one : other;
  return other.since > one.since ? other : one;
};

/** The host of `tls://host:port`. */
const hostOf = (address: string): string => /:\/\/(.*):\d+$/.exec(address)?.[1] ?? address;

export const DISABLED = 'the router is disabled';
export const MUST_ENROLL = 'the router must enroll anew';
