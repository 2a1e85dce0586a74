/** A controller, as it is announced to routers: with the id from its answer to their hello. */
export interface KnownController {
  readonly id: string;
  /** `tls:HOST:PORT` */
  readonly address: string;
}

/** The format of controller ids. */
export const CONTROLLER_ID = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** An address in the notation of routers: the transport, the host, and the port. */
export const ROUTER_ADDRESS = /^tls:(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i;
