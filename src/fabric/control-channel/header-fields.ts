import type { Frame, FrameHeaders } from './frame.ts';
import { type HeaderForm, headerForm } from './header-value.ts';
import { Malformed } from './malformed.ts';

/** A header, identified by its key. */
export interface HeaderField<T> {
  readonly key: number;
  /** Creates the header with this value. */
  of(value: T): Header;
  /**
   * Its value in a frame; undefined if the frame has none.
   * @throws Malformed
   */
  in(frame: Pick<Frame, 'headers'>): T | undefined;
  /**
   * Its value in a frame.
   * @throws Malformed also if the frame has none
   */
  required(frame: Pick<Frame, 'headers'>): T;
}

/** The key and the encoded value of a header. */
export type Header = readonly [key: number, value: Uint8Array];

const field = <T>(key: number, { write, read }: HeaderForm<T>): HeaderField<T> => {
  const found: HeaderField<T>['in'] = ({ headers }) => {
    const bytes = headers.get(key);
    return bytes === undefined ? undefined : read(bytes);
  };
  return {
    key,
    of: (value) => [key, write(value)],
    in: found,
    required: (frame) => {
      const value = found(frame);
      if (value === undefined) throw new Malformed(`header ${key} is missing`);
      return value;
    },
  };
};

/** Headers of the channel itself, allowed on any frame. */
export const header = {
  /** Identifies a connection, even after it has been lost. */
  connectionId: field(0, headerForm.text),
  /** The sequence of the request that a frame answers. */
  replyFor: field(1, headerForm.int32),
  /** True if a request succeeded. */
  success: field(2, headerForm.bool),
  /** The sender's software: `version|revision|buildDate|os|arch`. */
  version: field(4, headerForm.text),
  /** Eight bytes that are returned as `heartbeatAnswer`. */
  heartbeat: field(5, headerForm.raw),
  heartbeatAnswer: field(6, headerForm.raw),
  /** The purpose of this connection in its group, e.g. `ctrl.default`. */
  underlayType: field(7, headerForm.text),
  /** Id of the sender. */
  id: field(8, headerForm.text),
  /** True for a connection that belongs to a group. All connections of a group form one channel. */
  isGrouped: field(9, headerForm.bool),
} as const;

/**
 * Headers of the hello of a router, and of the answer to it. Routers of the 1.x line send some of them under other keys, see
 * `earlierHelloHeader`.
 */
export const helloHeader = {
  /** The secret of a group, presented by its subsequent connections. */
  groupSecret: field(10, headerForm.raw),
  /** True for the first connection of a group. */
  isFirstOfGroup: field(11, headerForm.bool),
  /** `listeners` of `messages/links.ts`: addresses for links from other routers. */
  listeners: field(1000, headerForm.raw),
  /** `routerMetadata` of `messages/routers.ts`. */
  metadata: field(1001, headerForm.raw),
  /** Capabilities of the sender, see `controllerCapability` and `routerCapability`. */
  capabilities: field(1002, headerForm.bits),
  /** `controlListeners` of `messages/routers.ts`: addresses for control channels from controllers. */
  ctrlChanListeners: field(1003, headerForm.raw),
} as const;

/** The keys under which routers of the 1.x line send these headers. */
export const earlierHelloHeader = {
  listeners: field(10, headerForm.raw),
  metadata: field(11, headerForm.raw),
  capabilities: field(12, headerForm.bits),
} as const;

/**
 * Capabilities of this controller, by bit. Announced in the answer to a hello; `test/adapters/routers/capabilities.test.ts` has the
 * behaviour of each.
 */
export const controllerCapability = {
  createTerminatorV2: 1,
  /** Only the router that dialed a link reports it. */
  dialerReportsLinks: 2,
  createCircuitV2: 3,
  dataModel: 4,
  /** A channel may have several connections. Announced to routers that open groups of connections. */
  groupedChannel: 5,
  /** Tokens of sessions are signed, also those of API sessions with opaque tokens. */
  signedSessions: 6,
} as const;

/** Capabilities of routers, by bit. The hello of a router with `multiChannel` uses the keys of the 2.x line. */
export const routerCapability = { multiChannel: 1 } as const;

/** Headers of requests for a circuit and of their answers. */
export const circuitHeader = {
  /** Data of one end of the circuit for the other. */
  peerData: field(10, headerForm.bytesByNumber),
  /** In a request, the token of the session; in an answer, the id of the circuit. */
  sessionToken: field(11, headerForm.text),
  circuitId: field(11, headerForm.text),
  /** In a request, the fingerprints of the client's certificates; in an answer, the address of the ingress. */
  fingerprints: field(12, headerForm.texts),
  address: field(12, headerForm.text),
  /** In a request, the requested instance of the service, if any; in an answer, tags. */
  instanceId: field(13, headerForm.text),
  tags: field(13, headerForm.textByText),
  apiSessionToken: field(14, headerForm.text),
  /** The identity that dials, according to its router. Not trusted: the token of the API session decides. */
  identityId: field(15, headerForm.text),
  serviceId: field(16, headerForm.text),
  /** The id that the router has chosen for the circuit. */
  chosenCircuitId: field(17, headerForm.text),
} as const;

/** Headers of a route result. */
export const routeHeader = {
  attempt: field(1101, headerForm.uint32),
  success: field(1102, headerForm.bool),
  error: field(1103, headerForm.text),
  /** See `routeErrorCode` of `messages/circuits.ts`. */
  errorCode: field(1104, headerForm.byte),
} as const;

/** Headers of edge messages. */
export const edgeHeader = {
  /** Synchronisation strategy of API sessions. */
  syncStrategy: field(1013, headerForm.text),
  /** With API sessions, JSON that describes their part of the synchronisation; in an error, the error code. */
  syncState: field(1014, headerForm.text),
  errorCode: field(1014, headerForm.uint32),
  /** True if the data model is used. */
  dataModel: field(1024, headerForm.bool),
  /** Last known index of the data model. */
  dataModelIndex: field(1025, headerForm.uint64),
  /** With the data model, the subscription that it is sent for. */
  dataModelSubscription: field(1026, headerForm.text),
  /** The circuit that an error is about. */
  errorCircuitId: field(1026, headerForm.text),
} as const;

/** True for headers that an answer copies from its request. */
const isEchoed = (key: number): boolean => key >= 128 && key <= 255;

/** The headers of an answer to this request. */
export const answerHeaders = (request: Frame): readonly Header[] => [
  header.replyFor.of(request.sequence),
  ...[...request.headers].filter(([key]) => isEchoed(key)),
];

/** Headers by key. If a key occurs several times, the last header wins. */
export const headersOf = (headers: readonly Header[]): FrameHeaders => new Map(headers);
