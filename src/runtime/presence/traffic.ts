/** One of the connections of a link, with its ends as routers report them. */
export interface LinkConnection {
  readonly type: string;
  readonly source: string;
  readonly dest: string;
}

/** A link between two connected routers. */
export interface TrafficLink {
  readonly id: string;
  readonly protocol: string;
  readonly dialAddress: string;
  /** Id of the router that dialed the link. */
  readonly from: string;
  readonly to: string;
  readonly cost: number;
  readonly iteration: number;
  readonly connections: readonly LinkConnection[];
}

/** A circuit, with the ids of its parts. */
export interface TrafficCircuit {
  readonly id: string;
  /** ISO text. */
  readonly createdAt: string;
  readonly clientId: string;
  readonly serviceId: string;
  /** The session in which it was dialed; empty for a tunneler, which has none. */
  readonly sessionId: string;
  readonly terminatorId: string;
  /** Ids of its routers, starting with that of the client. */
  readonly path: readonly string[];
  /** Ids of the links between them. */
  readonly links: readonly string[];
}

/**
 * Points where routers count bytes: towards clients (`ingress`), hosts (`egress`) and other routers (`fabric`), received (`rx`) and sent
 * (`tx`).
 */
export const trafficPoints = ['ingress.rx', 'ingress.tx', 'egress.rx', 'egress.tx', 'fabric.rx', 'fabric.tx'] as const;

/** A point where a router counts bytes. */
export type TrafficPoint = (typeof trafficPoints)[number];

/** Bytes per counting point. Points that routers have not reported are missing. */
export type TrafficBytes = Readonly<Partial<Record<TrafficPoint, number>>>;

/** The values of an inspected router. */
export interface InspectedRouter {
  readonly routerId: string;
  /** Reasons for missing values. */
  readonly errors: readonly string[];
  /** Values as the router sent them: mostly JSON, sometimes other text. */
  readonly values: readonly { readonly name: string; readonly value: string }[];
}

/** The traffic of the routers that are connected to a controller, for operators. In memory only, because it ends with the process. */
export interface Traffic {
  links(): readonly TrafficLink[];
  circuits(): readonly TrafficCircuit[];
  /** Total byte counts of the connected routers since they started, from their last reports. */
  carried(): TrafficBytes;
  /** Addresses at which a router accepts links; empty while it is not connected. */
  linkListeners(routerId: string): readonly { readonly address: string; readonly protocol: string }[];
  /**
   * Has the routers close a link, and ends or reroutes the circuits over it.
   * @returns true if it was known
   */
  endLink(id: string): boolean;
  /**
   * Ends a circuit on its routers.
   * @returns true if it was known
   */
  endCircuit(id: string): boolean;
  /**
   * Asks connected routers for values by name.
   * @param isSelected selects routers by id
   */
  inspect(values: readonly string[], isSelected: (routerId: string) => boolean): Promise<readonly InspectedRouter[]>;
}

/** The traffic of one controller: empty until it serves routers. */
export interface ServedTraffic extends Traffic {
  /** Sets the traffic that this one delegates to. */
  serve(traffic: Traffic): void;
}

const NONE: Traffic = {
  links: () => [],
  circuits: () => [],
  carried: () => ({}),
  linkListeners: () => [],
  endLink: () => false,
  endCircuit: () => false,
  inspect: async () => [],
};

export const createTraffic = (): ServedTraffic => {
  let served = NONE;
  return {
    links: () => served.links(),
    circuits: () => served.circuits(),
    carried: () => served.carried(),
    linkListeners: (routerId) => served.linkListeners(routerId),
    endLink: (id) => served.endLink(id),
    endCircuit: (id) => served.endCircuit(id),
    inspect: (values, isSelected) => served.inspect(values, isSelected),
    serve: (traffic) => {
      served = traffic;
    },
  };
};
