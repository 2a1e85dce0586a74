import type { Clock } from '../platform/platform.ts';
import { type ConnectionStatus, createCarried } from './carried.ts';

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
  readonly reached: { readonly hostname: string; readonly supportedProtocols: Readonly<Record<string, string>> } | undefined;
}

/** One connection of a router, for as long as it lasts. */
export interface Connection {
  readonly key: RouterKey;
  /** Aborted at its end; the reason says why. */
  readonly signal: AbortSignal;
  readonly state: RouterState;
  change(news: Partial<RouterState>): void;
  carry(identityId: string): void;
  drop(identityId: string): void;
  end(reason: string): void;
}

/** The routers connected to this controller, and the identities that they carry. In memory only: presence is momentary, and ends with the process. */
export interface Connections {
  /**
   * A router has one connection: an older one ends.
   * @param version of the row that says that it may be connected
   */
  open(key: RouterKey, state: RouterState, version?: number): Connection;
  /** The state of a router; if its row says that it may not be connected, its connection ends. */
  of(row: RouterKey & { readonly disabled: boolean }): RouterState | undefined;
  /** The connected routers; `reached`: those that have reported how they are reached. */
  keys(which?: 'reached'): readonly RouterKey[];
  /** Where other routers than this one say that they are reached: names and addresses. */
  hostsBeside(routerId: string): readonly string[];
  statusOf(identityId: string): ConnectionStatus;
  /** @param revision of the change for which it ends, unless the router was let in after this change; default: it ends in any case */
  end(routerId: string, reason: string, revision?: number): void;
  /** An identity that there is no more. */
  forget(identityId: string): void;
  close(): void;
}

/** @param unknownMs how long an identity whose router was lost counts as unknown */
export const createConnections = (clock: Clock, unknownMs: number): Connections => {
  const byRouter = new Map<string, Connection>();
  /** Of the row by which a router was let in. */
  const versions = new WeakMap<Connection, number>();
  const carried = createCarried<Connection>(clock, unknownMs);

  const open: Connections['open'] = (key, first, version = 0) => {
    byRouter.get(key.id)?.end('the router has connected again');
    const ending = new AbortController();
    let state = first;
    const connection: Connection = {
      key,
      signal: ending.signal,
      get state() {
        return state;
      },
      change: (news) => {
        state = { ...state, ...news };
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
      },
    };
    byRouter.set(key.id, connection);
    versions.set(connection, version);
    return connection;
  };

  return {
    open,
    of: ({ id, enrolledBy, disabled }) => {
      const connection = byRouter.get(id);
      if (!connection) return undefined;
      if (disabled) connection.end(DISABLED);
      else if (connection.key.enrolledBy !== enrolledBy) connection.end(MUST_ENROLL);
      else return connection.state;
      return undefined;
    },
    keys: (which) => [...byRouter.values()].filter(({ state }) => which === undefined || state.reached !== undefined).map(({ key }) => key),
    hostsBeside: (routerId) =>
      [...byRouter.values()]
        .filter(({ key }) => key.id !== routerId)
        .flatMap(({ state: { reached } }) => (reached ? [reached.hostname, ...Object.values(reached.supportedProtocols).map(hostOf)] : [])),
    statusOf: carried.statusOf,
    end: (routerId, reason, revision = Number.POSITIVE_INFINITY) => {
      const connection = byRouter.get(routerId);
      if (connection && revision > (versions.get(connection) ?? 0)) connection.end(reason);
    },
    forget: carried.forget,
    close: () => {
      for (const connection of [...byRouter.values()]) connection.end('the controller was closed');
    },
  };
};

/** The host of `tls://host:port`. */
const hostOf = (address: string): string => /:\/\/(.*):\d+$/.exec(address)?.[1] ?? address;

export const DISABLED = 'the router is disabled';
export const MUST_ENROLL = 'the router must enroll anew';
