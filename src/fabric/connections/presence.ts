import type * as z from 'zod';
import type { Hello } from '../../contract/api/router-hello.ts';
import type { routerInterfaces, SyncStatus } from '../../contract/api/router-reports.ts';
import type { ReportedVersion } from '../../contract/api/router-software.ts';

/** A network interface of a router, as reported by the router. */
export type RouterInterfaceReport = z.input<typeof routerInterfaces>[number];

/**
 * For a host that terminates the connections of routers itself and reports on them in process. It may pass on data from a router unchanged:
 * the data is validated like any request.
 */
export interface Presence {
  /**
   * Connects a router if it is allowed to connect. Its previous connection is closed.
   * @throws ApiError `UNAUTHORIZED` unless the certificate is the current one of a router that is not disabled; `COULD_NOT_VALIDATE` with
   * the field;
   *   `SERVER_UNAVAILABLE` while the store is unavailable
   */
  connect(router: {
    /** The certificates that the router presented in the TLS handshake. DER, leaf first. */
    readonly certificates: readonly Uint8Array[];
    readonly versionInfo?: ReportedVersion;
    /** The bits of the capability mask that the router reports, 0 to 63. Default: unknown. */
    readonly capabilities?: readonly number[] | undefined;
    /** Called once the router is identified, before it is connected. If it throws, `connect` rejects with the same error. */
    readonly admit?: (routerId: string) => void;
  }): Promise<RouterConnection>;
}

/**
 * A connection of a router. Reports are refused with `UNAUTHORIZED` once it has ended, with `COULD_NOT_VALIDATE` and the field if they are
 * invalid, and with `SERVER_UNAVAILABLE` while the store is unavailable.
 */
export interface RouterConnection {
  readonly routerId: string;
  readonly isEdgeRouter: boolean;
  /**
   * Aborted when the connection is closed, with the reason: the router was disabled or deleted, must enroll again, or has connected again;
   * the controller or the connection was closed. The host must then end it, too.
   */
  readonly signal: AbortSignal;
  /**
   * The listeners to which clients connect: `{ listeners: [{ protocol, hostname, port }] }`, or the older
   * `{ hostname, protocols, protocolPorts }`. The router is online from now on.
   */
  hello(reported: Hello): Promise<void>;
  /** Progress of the router's synchronisation. `hello` sets `SYNC_DONE` automatically. */
  sync(status: SyncStatus): Promise<void>;
  /**
   * The router's network interfaces, 65,536 characters of JSON at most. They are stored if they differ; if they differ too often, only the
   * latest, and later.
   */
  interfaces(reported: readonly RouterInterfaceReport[]): Promise<void>;
  /** Groups by address at which the router accepts control channels. They replace the router's field `ctrlChanListeners`. */
  ctrlChanListeners(reported: Readonly<Record<string, readonly string[]>>): Promise<void>;
  /** @throws ApiError `NOT_FOUND` for an unknown identity */
  identityConnected(identityId: string): Promise<void>;
  /** The identity has disconnected. It is offline immediately, unless it is connected to another router. */
  identityDisconnected(identityId: string): Promise<void>;
  /**
   * Several identities have connected. Unknown ids are skipped.
   * @returns those that are now connected
   */
  identitiesConnected(identityIds: readonly string[]): Promise<readonly string[]>;
  /** Several identities have disconnected. */
  identitiesDisconnected(identityIds: readonly string[]): Promise<void>;
  /** The router has disconnected. The state of its identities becomes unknown. */
  close(): void;
}
