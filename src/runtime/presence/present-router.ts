/** Identifies the connections of a router: by its id, and by its enrollment, because a new enrollment invalidates earlier ones. */
export interface RouterKey {
  readonly id: string;
  /** Id of the enrollment that issued its certificate. */
  readonly enrolledBy: string | null;
}

/** The state of a connected router. */
export interface RouterState {
  readonly versionInfo: Readonly<Record<'arch' | 'buildDate' | 'os' | 'revision' | 'version', string>>;
  readonly syncStatus: string;
  /** The bits of its capabilities; undefined if the router, or its controller, does not report them. */
  readonly capabilities?: readonly number[] | undefined;
  /** Undefined until the router has reported its listeners. */
  readonly reached?: { readonly hostname: string; readonly supportedProtocols: Readonly<Record<string, string>> } | undefined;
}

/** A router that is connected to a controller: to this one, or to another on the same store. */
export interface PresentRouter {
  readonly key: RouterKey;
  readonly state: RouterState;
  /** Time of connection, ms since 1970 by the clock of its controller. */
  readonly since: number;
}
