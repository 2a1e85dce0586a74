/** A controller as routers know it: by the id in its answer to their hello, and by its address. */
export interface KnownController {
  readonly id: string;
  /** `tls:HOST:PORT` */
  readonly address: string;
}

/** The form of controller ids. */
export const CONTROLLER_ID = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** An address in the notation of routers: the transport, the host, and the port. */
export const ROUTER_ADDRESS = /^tls:(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i;
