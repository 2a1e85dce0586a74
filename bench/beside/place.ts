/** The ports on 127.0.0.1 of a controller and of the programs that run alongside it. */
export interface Place {
  /** The controller's API. */
  readonly port: number;
  /** The controller's port for routers. */
  readonly control: number;
  /** The router's port for clients. */
  readonly edge: number;
  /** The router's port for other routers. */
  readonly link: number;
  /** The client's port. Each connection to it becomes a circuit. */
  readonly proxy: number;
}

/** The administrator of every measured controller. The environment of its processes has the password as `ADMIN_PASSWORD`. */
export const ADMINISTRATOR = { username: 'admin', password: 'administrator' };
