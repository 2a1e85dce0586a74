import type * as z from 'zod';
import type { Hello, ReportedVersion, routerInterfaces, SyncStatus } from '../../../api/router-reports.ts';

/** A network interface of a router, as the router reports it. */
export type RouterInterfaceReport = z.input<typeof routerInterfaces>[number];

/** The reports of a host that carries connections of routers, in process. Data of a router may be passed on unchanged: it is validated like any request. */
export interface Presence {
  /**
   * Connects a router, if it may. Its older connection is closed.
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
   * Aborted when the connection is closed, with the reason: the router was disabled or deleted, must enroll again, or has connected again; the
   * controller or the connection was closed. The host then ends it on its side.
   */
  readonly signal: AbortSignal;
  /**
   * The listeners to which clients connect: `{ listeners: [{ protocol, hostname, port }] }`, or the older `{ hostname, protocols, protocolPorts }`. The router
   * is online from now on.
   */
  hello(reported: Hello): Promise<void>;
  /** Progress of the router's synchronisation. `hello` sets `SYNC_DONE` by itself. */
  sync(status: SyncStatus): Promise<void>;
  /** The router's network interfaces. These are stored. */
  interfaces(reported: readonly RouterInterfaceReport[]): Promise<void>;
  /** @throws ApiError `NOT_FOUND` for an unknown identity */
  identityConnected(identityId: string): Promise<void>;
  /** The identity has disconnected: it is offline at once, unless it is connected to another router. */
  identityDisconnected(identityId: string): Promise<void>;
  /** The same for several. Unknown ids are skipped. @returns those that are connected now */
  identitiesConnected(identityIds: readonly string[]): Promise<readonly string[]>;
  /** The same for several. */
  identitiesDisconnected(identityIds: readonly string[]): Promise<void>;
  /** The router has disconnected; its identities become unknown. */
  close(): void;
}
