import type { Clock } from '../platform/platform.ts';
import { type ConnectionStatus, createCarriedIdentities } from './carried-identities.ts';
import type { PresentRouter, RouterKey, RouterState } from './present-router.ts';
import { createRemoteControllers, type RemoteControllers } from './remote-controllers.ts';

/** One connection of a router to this controller. */
export interface Connection extends PresentRouter {
  /** Aborted when it is closed, with an error as reason. */
  readonly signal: AbortSignal;
  /** Version of the router's row on admission. */
  readonly version: number;
  update(changes: Partial<RouterState>): void;
  addIdentity(identityId: string): void;
  removeIdentity(identityId: string): void;
  close(reason: string): void;
}

/** Called when a router connects to this controller, changes its state, or disconnects; in the last case without a connection. */
export type ConnectionListener = (routerId: string, connection: Connection | undefined) => void;

/**
 * The routers that are connected, here and to other controllers on the store, and the identities that are connected to routers of this
 * controller. In memory only, because presence ends with the process.
 */
export interface Connections {
  /**
   * Opens the connection of a router, and closes any earlier one.
   * @param version of the router's row on admission
   */
  open(key: RouterKey, state: RouterState, version?: number): Connection;
  /** The state of a router at any controller; undefined if it is not connected, is disabled, or has to enroll again. */
  stateOf(row: RouterKey & { readonly disabled: boolean }): RouterState | undefined;
  /** Closes the connection of a router to this controller if the router is disabled, or has to enroll again. */
  closeUnlessAllowed(row: RouterKey & { readonly disabled: boolean }): void;
  /**
   * The connected routers.
   * @param which `reached`: only those that have reported their listeners
   */
  keys(which?: 'reached'): readonly RouterKey[];
  /** The routers that are connected to this controller. */
  local(): readonly PresentRouter[];
  /** Number of routers that are connected to this controller. */
  readonly localCount: number;
  /** The routers of other controllers. */
  readonly remote: Pick<RemoteControllers, 'replace' | 'has'>;
  /** Host names and addresses of all connected routers except this one. */
  hostsBeside(routerId: string): readonly string[];
  statusOf(identityId: string): ConnectionStatus;
  /** The identities that are connected to a router of this controller. */
  identitiesAt(routerId: string): ReadonlySet<string>;
  /**
   * @param revision of the change that causes this; a router admitted after that change stays connected. Default: the router is always
   * disconnected
   */
  closeRouter(routerId: string, reason: string, revision?: number): void;
  /** Removes a deleted identity. */
  removeIdentity(identityId: string): void;
  /** Sets the listener, replacing any earlier one. */
  onChange(listener: ConnectionListener): void;
  close(): void;
}

/** @param unknownMs how long an identity whose router was lost counts as unknown */
export const createConnections = (clock: Clock, unknownMs: number): Connections => {
  const byRouter = new Map<string, Connection>();
  const remote = createRemoteControllers(clock);
  const carried = createCarriedIdentities<Connection>(clock, unknownMs);
  let notify: ConnectionListener = () => undefined;

  const open: Connections['open'] = (key, initialState, version = 0) => {
    byRouter.get(key.id)?.close('the router has connected again');
    const closing = new AbortController();
    let state = initialState;
    const connection: Connection = {
      key,
      version,
      since: clock.now(),
      signal: closing.signal,
      get state() {
        return state;
      },
      update: (changes) => {
        state = { ...state, ...changes };
        if (!closing.signal.aborted) notify(key.id, connection);
      },
      addIdentity: (identityId) => {
        if (!closing.signal.aborted) carried.add(connection, identityId);
      },
      removeIdentity: (identityId) => carried.remove(connection, identityId),
      close: (reason) => {
        if (closing.signal.aborted) return;
        byRouter.delete(key.id);
        carried.removeConnection(connection);
        closing.abort(new Error(reason));
        notify(key.id, undefined);
      },
    };
    byRouter.set(key.id, connection);
    notify(key.id, connection);
    return connection;
  };
  const all = (): readonly PresentRouter[] => [...byRouter.values(), ...remote.all()];

  return {
    open,
    stateOf: ({ id, enrolledBy, disabled }) => {
      if (disabled) return undefined;
      const local = byRouter.get(id);
      const current = local?.key.enrolledBy === enrolledBy ? local : undefined;
      return remote.of({ id, enrolledBy }).reduce<PresentRouter | undefined>(preferred, current)?.state;
    },
    closeUnlessAllowed: ({ id, enrolledBy, disabled }) => {
      const local = byRouter.get(id);
      if (disabled) local?.close(DISABLED);
      else if (local?.key.enrolledBy !== enrolledBy) local?.close(MUST_ENROLL);
    },
    keys: (which) => all().flatMap(({ key, state }) => (which === undefined || state.reached !== undefined ? [key] : [])),
    local: () => [...byRouter.values()],
    get localCount() {
      return byRouter.size;
    },
    remote,
    hostsBeside: (routerId) =>
      all()
        .filter(({ key }) => key.id !== routerId)
        .flatMap(({ state: { reached } }) => (reached ? [reached.hostname, ...Object.values(reached.supportedProtocols).map(hostOf)] : [])),
    statusOf: carried.statusOf,
    identitiesAt: (routerId) => {
      const connection = byRouter.get(routerId);
      return connection ? carried.of(connection) : new Set();
    },
    closeRouter: (routerId, reason, revision = Number.POSITIVE_INFINITY) => {
      const connection = byRouter.get(routerId);
      if (connection && revision > connection.version) connection.close(reason);
    },
    removeIdentity: carried.removeIdentity,
    onChange: (listener) => {
      notify = listener;
    },
    close: () => {
      for (const connection of [...byRouter.values()]) connection.close('the controller was closed');
    },
  };
};

/** The preferred of two connections of a router: the one that has reported its listeners, or else the later one. */
const preferred = (a: PresentRouter | undefined, b: PresentRouter): PresentRouter => {
  if (!a) return b;
  if (!a.state.reached !== !b.state.reached) return a.state.reached ? a : b;
  return b.since > a.since ? b : a;
};

/** The host of `tls://host:port`. */
const hostOf = (address: string): string => /:\/\/(.*):\d+$/.exec(address)?.[1] ?? address;

/** Reasons for closing a connection. */
export const DELETED = 'the router was deleted';
export const DISABLED = 'the router is disabled';
export const MUST_ENROLL = 'the router must enroll again';
