import type { TrafficHistory } from './traffic-history.ts';

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
  /** Cost of the link in a path. */
  readonly cost: number;
  readonly staticCost: number;
  /** True if no path leads over the link. */
  readonly isDown: boolean;
  /** Latency that the dialing router reports, and that of the other one. ns; 0 until it is reported */
  readonly sourceLatency: number;
  readonly destLatency: number;
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
  /** A circuit, also while a router on its path is not connected, and it is therefore not listed. */
  circuit(id: string): TrafficCircuit | undefined;
  /** Total byte counts of the connected routers since they started, from their last reports. */
  carried(): TrafficBytes;
  /** The same of each router. */
  carriedByRouter(): readonly { readonly routerId: string; readonly bytes: TrafficBytes }[];
  /** The load of routers and links in the last day; undefined if routers are not served. */
  history(): TrafficHistory | undefined;
  /** Addresses at which a router accepts links; empty while it is not connected. */
  linkListeners(routerId: string): readonly { readonly address: string; readonly protocol: string }[];
  /**
   * Has the routers close a link, and ends or reroutes the circuits over it.
   * @returns true if it was known
   */
  endLink(id: string): boolean;
  /**
   * Changes the cost of a link, or takes it out of use, and moves the circuits over it.
   * @returns true if it is known
   */
  changeLink(id: string, settings: Partial<Pick<TrafficLink, 'staticCost' | 'isDown'>>): boolean;
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
  /**
   * Asks a router about its terminators.
   * @param fix has the router repair what it can
   * @returns those that it has answered for, by id
   * @throws RouterNotAsked
   */
  validateTerminators(
    routerId: string,
    terminators: readonly AskedTerminator[],
    fix: boolean,
  ): Promise<ReadonlyMap<string, TerminatorAtRouter>>;
  /**
   * Asks a router to compare its data model with that of this controller.
   * @param fix has it take the latter, if they differ
   * @returns the differences in words
   * @throws RouterNotAsked
   */
  validateModel(routerId: string, fix: boolean): Promise<readonly string[]>;
  /** The position of the data model that routers have; undefined while no router has subscribed to it. */
  modelPosition(): ModelPosition | undefined;
  /** The data model that routers have; undefined while no router has subscribed to it, `tooLarge` if it cannot be shown. */
  model(): Promise<InspectedModel | 'tooLarge' | undefined>;
  /** Announcements and questions that connected routers have still to get. */
  pendingMessages(): PendingMessages;
  /**
   * Has connected routers trace the messages of their channels, or stop. Traces are network events of the kind `trace`.
   * @param isSelected selects routers by id
   * @returns all connected routers
   */
  toggleTraces(toggle: TraceToggle, isSelected: (routerId: string) => boolean): Promise<readonly ToggledRouter[]>;
}

/** A state of the data model: the sequence of its changes, and the number of the last one. */
export interface ModelPosition {
  readonly timeline: string;
  readonly index: number;
}

/** The entities of a data model, by id. */
export type InspectedModel = Readonly<
  Record<
    'configTypes' | 'configs' | 'identities' | 'services' | 'servicePolicies' | 'postureChecks' | 'publicKeys' | 'revocations',
    Readonly<Record<string, object>>
  >
>;

/** Routers that changes of others have still to be announced to, and routers whose terminators have still to be confirmed, by id. */
export interface PendingMessages {
  readonly updates: readonly { readonly routerId: string; readonly changed: readonly string[] }[];
  readonly validations: readonly PendingValidation[];
}

/** A router that will be, or has been, asked which of its terminators it still has. */
export interface PendingValidation {
  readonly routerId: string;
  /** The terminators that it has been asked about. */
  readonly terminators: readonly string[];
  /** When it was asked, ms since 1970; undefined while the controller waits. */
  readonly askedAt: number | undefined;
}

/** A request to trace messages, or to stop. */
export interface TraceToggle {
  readonly enable: boolean;
  /** The lines that the reports of the routers contain. */
  readonly verbosity: 'none' | 'matches' | 'misses' | 'all';
  /** A regular expression (RE2) for the names of their channels. */
  readonly pipeRegex: string;
}

/** A connected router after such a request. */
export interface ToggledRouter {
  readonly routerId: string;
  readonly isSelected: boolean;
  /** False if it was asked and has refused, or has not answered; `report` is the reason. */
  readonly success: boolean;
  readonly report: string;
}

/** A terminator about which a router is asked. */
export interface AskedTerminator {
  readonly id: string;
  readonly binding: string;
  readonly address: string;
}

/** A router that is not connected, is busy, or has not answered; the message is the reason, for operators. */
export class RouterNotAsked extends Error {
  override readonly name = 'RouterNotAsked';
}

/** A terminator as its router knows it. */
export interface TerminatorAtRouter {
  readonly state: 'valid' | 'unknownBinding' | 'unknownTerminator' | 'badState' | 'unknown';
  readonly detail: string;
}

const isNotServed = async (): Promise<never> => {
  throw new RouterNotAsked('this controller serves no routers');
};

/** The traffic of one controller: empty until it serves routers. */
export interface ServedTraffic extends Traffic {
  /** Sets the traffic that this one delegates to. */
  serve(traffic: Traffic): void;
}

const NONE: Traffic = {
  links: () => [],
  circuits: () => [],
  circuit: () => undefined,
  carried: () => ({}),
  carriedByRouter: () => [],
  history: () => undefined,
  linkListeners: () => [],
  endLink: () => false,
  changeLink: () => false,
  endCircuit: () => false,
  inspect: async () => [],
  validateTerminators: isNotServed,
  validateModel: isNotServed,
  modelPosition: () => undefined,
  model: async () => undefined,
  pendingMessages: () => ({ updates: [], validations: [] }),
  toggleTraces: async () => [],
};

export const createTraffic = (): ServedTraffic => {
  let served = NONE;
  return {
    links: () => served.links(),
    circuits: () => served.circuits(),
    circuit: (id) => served.circuit(id),
    carried: () => served.carried(),
    carriedByRouter: () => served.carriedByRouter(),
    history: () => served.history(),
    linkListeners: (routerId) => served.linkListeners(routerId),
    endLink: (id) => served.endLink(id),
    changeLink: (id, settings) => served.changeLink(id, settings),
    endCircuit: (id) => served.endCircuit(id),
    inspect: (values, isSelected) => served.inspect(values, isSelected),
    validateTerminators: (routerId, terminators, fix) => served.validateTerminators(routerId, terminators, fix),
    validateModel: (routerId, fix) => served.validateModel(routerId, fix),
    modelPosition: () => served.modelPosition(),
    model: () => served.model(),
    pendingMessages: () => served.pendingMessages(),
    toggleTraces: (toggle, isSelected) => served.toggleTraces(toggle, isSelected),
    serve: (traffic) => {
      served = traffic;
    },
  };
};
