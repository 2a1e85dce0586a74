/** The ports that a controller, and what runs beside it, take on 127.0.0.1. */
export interface Place {
  /** Of its API. */
  readonly port: number;
  /** Of the controller, for routers. */
  readonly forRouters: number;
  /** Of the router, for clients and for other routers. */
  readonly edge: number;
  readonly link: number;
  /** Of the client: a connection to it is a circuit. */
  readonly proxy: number;
}

/** Of every controller that is measured; `ADMIN_PASSWORD` in the environment of its processes. */
export const ADMINISTRATOR = { username: 'admin', password: 'administrator' };
