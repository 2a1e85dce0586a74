import type { Frame, FrameHeaders } from './frame.ts';
import { type HeaderForm, headerForm } from './header-value.ts';
import { Malformed } from './malformed.ts';

/** A header by its key. */
export interface HeaderField<T> {
  readonly key: number;
  /** The header with this value. */
  of(value: T): Header;
  /** Its value in a frame; undefined if the frame has none. @throws Malformed */
  in(frame: Pick<Frame, 'headers'>): T | undefined;
  /** Its value in a frame. @throws Malformed also when the frame has none */
  required(frame: Pick<Frame, 'headers'>): T;
}

/** The key of a header, and its value as it travels. */
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

/** Headers of the channel itself, on any frame. */
export const header = {
  /** Names a connection, also after it was lost. */
  connectionId: field(0, headerForm.text),
  /** The sequence of the request that a frame answers. */
  replyFor: field(1, headerForm.int32),
  /** Whether what was asked for was done. */
  success: field(2, headerForm.bool),
  /** The software: `version|revision|buildDate|os|arch`. */
  version: field(4, headerForm.text),
  /** Eight bytes to be sent back as `heartbeatAnswer`. */
  heartbeat: field(5, headerForm.raw),
  heartbeatAnswer: field(6, headerForm.raw),
  /** What this connection of a group carries, e.g. `ctrl.default`. */
  underlayType: field(7, headerForm.text),
  /** What the sender is called. */
  id: field(8, headerForm.text),
  /** Whether the connection is one of a group that make up a channel together. */
  isGrouped: field(9, headerForm.bool),
} as const;

/** Headers of the hello of a router, and of the answer to it. Routers of the line 1.x have some under other keys, see `earlierHelloHeader`. */
export const helloHeader = {
  /** The secret of a group, which further connections of it present. */
  groupSecret: field(10, headerForm.raw),
  /** Whether it is the first connection of a group. */
  isFirstOfGroup: field(11, headerForm.bool),
  /** `listeners` of `messages/links.ts`: where other routers reach it. */
  listeners: field(1000, headerForm.raw),
  /** `routerMetadata` of `messages/routers.ts`. */
  metadata: field(1001, headerForm.raw),
  /** What the sender can do: see `capability` and `routerCapability`. */
  capabilities: field(1002, headerForm.bits),
} as const;

/** Where routers of the line 1.x have them. */
export const earlierHelloHeader = {
  listeners: field(10, headerForm.raw),
  metadata: field(11, headerForm.raw),
  capabilities: field(12, headerForm.bits),
} as const;

/** What a controller can do, by the number of the bit. Bit 5, channels of several connections, is not among them. */
export const capability = { createTerminatorV2: 1, dialerReportsLinks: 2, createCircuitV2: 3, dataModel: 4, signedSessions: 6 } as const;

/** What a router can do, likewise. One with `multiChannel` has the headers of its hello where routers of the line 2.x have them. */
export const routerCapability = { multiChannel: 1 } as const;

/** Headers of requests for a circuit, and of their answers. */
export const circuitHeader = {
  /** What one end of the circuit hands to the other. */
  peerData: field(10, headerForm.bytesByNumber),
  /** In a request the token of the session; in an answer the id of the circuit. */
  sessionToken: field(11, headerForm.text),
  circuitId: field(11, headerForm.text),
  /** In a request the fingerprints of the client's certificates; in an answer the address of the ingress. */
  fingerprints: field(12, headerForm.texts),
  address: field(12, headerForm.text),
  /** In a request the instance of the service that is wanted, or none; in an answer tags. */
  instanceId: field(13, headerForm.text),
  tags: field(13, headerForm.textByText),
  apiSessionToken: field(14, headerForm.text),
} as const;

/** Headers of the outcome of a route. */
export const routeHeader = {
  attempt: field(1101, headerForm.uint32),
  success: field(1102, headerForm.bool),
  error: field(1103, headerForm.text),
  /** See `routeError` of `messages/circuits.ts`. */
  errorCode: field(1104, headerForm.byte),
} as const;

/** Headers of edge messages. */
export const edgeHeader = {
  /** How the synchronisation of API sessions is done. */
  syncStrategy: field(1013, headerForm.text),
  /** JSON: which part of a synchronisation it is. Of an error its code. */
  syncState: field(1014, headerForm.text),
  errorCode: field(1014, headerForm.uint32),
  /** Whether the data model is used. */
  dataModel: field(1024, headerForm.bool),
  /** How far the data model is known. */
  dataModelIndex: field(1025, headerForm.uint64),
  /** The circuit that an error is about. */
  errorCircuitId: field(1026, headerForm.text),
} as const;

/** Keys of headers that an answer copies from its request. */
const isEchoed = (key: number): boolean => key >= 128 && key <= 255;

/** The headers that an answer has because of its request. */
export const answerHeaders = (request: Frame): readonly Header[] => [
  header.replyFor.of(request.sequence),
  ...[...request.headers].filter(([key]) => isEchoed(key)),
];

/** Headers, the later of two with the same key. */
export const headersOf = (headers: readonly Header[]): FrameHeaders => new Map(headers);
