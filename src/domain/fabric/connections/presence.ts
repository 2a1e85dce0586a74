import type * as z from 'zod';
import type { Hello, ReportedVersion, routerInterfaces, SyncStatus } from '../../../api/router-reports.ts';

/** A network interface of a router, as the router tells of it. */
export type RouterInterfaceReport = z.input<typeof routerInterfaces>[number];

/** Reports of a host that carries router connections, in process. Data from a router may be passed on unchanged: it is validated like any request. */
export interface Presence {
  /**
   * Whether a router may connect; if so, it is connected. A router that was connected already loses its older connection.
   * @throws ApiError `UNAUTHORIZED` unless the certificate is the current one of a router that is not disabled; `COULD_NOT_VALIDATE` with the field;
   *   `SERVER_UNAVAILABLE` while the store is away
   */
  connect(by: {
    /** DER of what the router presented in the TLS handshake, leaf first. */
    readonly certificates: readonly Uint8Array[];
    readonly versionInfo?: ReportedVersion;
    /** Called once it is known which router it is, before it is connected: what this throws, `connect` throws. */
    readonly admit?: (routerId: string) => void;
  }): Promise<RouterConnection>;
}

/**
 * A connection of a router. Reports are refused with `UNAUTHORIZED` once it has ended, with `COULD_NOT_VALIDATE` and the field if they are invalid,
 * and with `SERVER_UNAVAILABLE` while the store is unavailable.
 */
export interface RouterConnection {
  readonly routerId: string;
  readonly isEdgeRouter: boolean;
  /**
   * Aborted when the connection has ended, and its reason says why: the router was disabled or deleted, must enroll anew, or has connected again; the
   * controller or the connection was closed. The host then ends it on its side.
   */
  readonly signal: AbortSignal;
  /**
   * How clients reach the router: `{ listeners: [{ protocol, hostname, port }] }`, or the older `{ hostname, protocols, protocolPorts }`. The router
   * is online from now on.
   */
  hello(reported: Hello): Promise<void>;
  /** How far the router is in learning of the network. `hello` says `SYNC_DONE` by itself. */
  sync(status: SyncStatus): Promise<void>;
  /** The router's network interfaces. These are stored. */
  interfaces(reported: readonly RouterInterfaceReport[]): Promise<void>;
  /** @throws ApiError `NOT_FOUND` for an identity that there is not */
  identityConnected(identityId: string): Promise<void>;
  /** The identity itself has left: it is offline at once, unless another router carries it. */
  identityDisconnected(identityId: string): Promise<void>;
  /** The same of several at once. What is no id of an identity is left out. @returns those that are connected now */
  identitiesConnected(identityIds: readonly string[]): Promise<readonly string[]>;
  /** The same of several at once. */
  identitiesDisconnected(identityIds: readonly string[]): Promise<void>;
  /** The router is gone; what it carried is not heard of. */
  close(): void;
}
