import type { Clock } from '../platform/platform.ts';
import { type ConnectionStatus, createCarried } from './carried.ts';
import { createElsewhere, type Elsewhere } from './elsewhere.ts';

/** A router as its connection is known by: its id, and what tells one enrollment of it from the next. */
export interface RouterKey {
  readonly id: string;
  /** Id of the enrollment by which it got its certificate. */
  readonly enrolledBy: string | null;
}

/** The state of a connected router. */
export interface RouterState {
  readonly versionInfo: Readonly<Record<'arch' | 'buildDate' | 'os' | 'revision' | 'version', string>>;
  readonly syncStatus: string;
  /** Undefined until the router has reported how it is reached. */
  readonly reached?: { readonly hostname: string; readonly supportedProtocols: Readonly<Record<string, string>> } | undefined;
}

/** A router that is connected to a controller: to this one, or to another on the same store. */
export interface PresentRouter {
  readonly key: RouterKey;
  readonly state: RouterState;
  /** When it connected, ms since 1970 by the clock of that controller. */
  readonly since: number;
}

/** One connection of a router to this controller, for as long as it lasts. */
export interface Connection extends PresentRouter {
  /** Aborted at its end; the reason says why. */
  readonly signal: AbortSignal;
  /** Of the row that says that it may be connected. */
  readonly version: number;
  change(news: Partial<RouterState>): void;
  carry(identityId: string): void;
  drop(identityId: string): void;
  end(reason: string): void;
}

/** Hears that a router has connected here, is in another state, or is gone: then without its connection. */
export type ConnectionListener = (routerId: string, connection: Connection | undefined) => void;

/**
 * Which routers are connected, here and to other controllers on the store, and the identities that routers carry that are connected here. In memory only:
 * presence is momentary. Connections are opened and ended here; of those to other controllers it is only read, in `elsewhere`.
 */
export interface Connections {
  /**
   * A router has one connection here: an older one ends.
   * @param version of the row that says that it may be connected
   */
  open(key: RouterKey, state: RouterState, version?: number): Connection;
  /** The state of a router, wherever it is connected; if its row says that it may not be connected, its connection here ends. */
  of(row: RouterKey & { readonly disabled: boolean }): RouterState | undefined;
  /** The connected routers; `reached`: those that have reported how they are reached. */
  keys(which?: 'reached'): readonly RouterKey[];
  /** How many routers are connected here. */
  readonly here: number;
  /** What other controllers say. */
  readonly elsewhere: Pick<Elsewhere, 'take' | 'has'>;
  /** Where other routers than this one say that they are reached: names and addresses. */
  hostsBeside(routerId: string): readonly string[];
  statusOf(identityId: string): ConnectionStatus;
  /** @param revision of the change for which it ends, unless the router was let in after this change; default: it ends in any case */
  end(routerId: string, reason: string, revision?: number): void;
  /** An identity that there is no more. */
  forget(identityId: string): void;
  /** There is one listener: a later one takes its place. */
  onChange(heard: ConnectionListener): void;
  close(): void;
}

/** @param unknownMs how long an identity whose router was lost counts as unknown */
export const createConnections = (clock: Clock, unknownMs: number): Connections => {
  const byRouter = new Map<string, Connection>();
  const elsewhere = createElsewhere(clock);
  const carried = createCarried<Connection>(clock, unknownMs);
  let changed: ConnectionListener = () => undefined;

  const open: Connections['open'] = (key, first, version = 0) => {
    byRouter.get(key.id)?.end('the router has connected again');
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
      change: (news) => {
        state = { ...state, ...news };
        if (!ending.signal.aborted) changed(key.id, connection);
      },
      carry: (identityId) => {
        if (!ending.signal.aborted) carried.add(connection, identityId);
      },
      drop: (identityId) => carried.remove(connection, identityId),
      end: (reason) => {
        if (ending.signal.aborted) return;
        byRouter.delete(key.id);
        carried.lose(connection);
        ending.abort(new Error(reason));
        changed(key.id, undefined);
      },
    };
    byRouter.set(key.id, connection);
    changed(key.id, connection);
    return connection;
  };
  const everywhere = (): readonly PresentRouter[] => [...byRouter.values(), ...elsewhere.all()];

  return {
    open,
    of: ({ id, enrolledBy, disabled }) => {
      const own = byRouter.get(id);
      if (disabled) own?.end(DISABLED);
      else if (own?.key.enrolledBy !== enrolledBy) own?.end(MUST_ENROLL);
      if (disabled) return undefined;
      return elsewhere.of({ id, enrolledBy }).reduce<PresentRouter | undefined>(current, byRouter.get(id))?.state;
    },
    keys: (which) => everywhere().flatMap(({ key, state }) => (which === undefined || state.reached !== undefined ? [key] : [])),
    get here() {
      return byRouter.size;
    },
    elsewhere,
    hostsBeside: (routerId) =>
      everywhere()
        .filter(({ key }) => key.id !== routerId)
        .flatMap(({ state: { reached } }) => (reached ? [reached.hostname, ...Object.values(reached.supportedProtocols).map(hostOf)] : [])),
    statusOf: carried.statusOf,
    end: (routerId, reason, revision = Number.POSITIVE_INFINITY) => {
      const connection = byRouter.get(routerId);
      if (connection && revision > connection.version) connection.end(reason);
    },
    forget: carried.forget,
    onChange: (heard) => {
      changed = heard;
    },
    close: () => {
      for (const connection of [...byRouter.values()]) connection.end('the controller was closed');
    },
  };
};

/** Of two connections of a router the later one says how it is, unless only the other has said how the router is reached. */
const current = (one: PresentRouter | undefined, other: PresentRouter): PresentRouter => {
  if (!one) return other;
  if (!one.state.reached !== !other.state.reached) return one.state.reached ? one : other;
  return other.since > one.since ? other : one;
};

/** The host of `tls://host:port`. */
const hostOf = (address: string): string => /:\/\/(.*):\d+$/.exec(address)?.[1] ?? address;

export const DISABLED = 'the router is disabled';
export const MUST_ENROLL = 'the router must enroll anew';
