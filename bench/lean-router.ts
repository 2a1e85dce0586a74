/**
 * A scripted router that costs little itself, so that one process plays a thousand: it reads short messages, and only counts the bytes of
 * long ones. It answers heartbeats, greetings and routes, and remembers up to where it knows the data model.
 */
import { once } from 'node:events';
import { connect } from 'node:tls';
import { type Channel, createChannel } from '../src/fabric/control-channel/channel.ts';
import { encodeFrame, type Frame, PREFIX_BYTES } from '../src/fabric/control-channel/frame.ts';
import { createFrameReader } from '../src/fabric/control-channel/frame-reader.ts';
import { earlierHelloHeader, header, headersOf, routeHeader } from '../src/fabric/control-channel/header-fields.ts';
import { messages } from '../src/fabric/control-channel/messages/index.ts';
import { linkListeners } from '../src/fabric/control-channel/messages/links.ts';
import { routerMetadata } from '../src/fabric/control-channel/messages/routers.ts';
import { textOf, utf8 } from '../src/fabric/control-channel/primitives.ts';
import type { Clock } from '../src/index.ts';

/** The id of an enrolled router, and its certificate. */
export interface RouterKey {
  readonly id: string;
  readonly chain: string;
  readonly key: string;
}

/** What a router knows of the data model. */
export interface KnownModel {
  readonly timelineId: string;
  readonly currentIndex: bigint;
}

export interface LeanRouter extends Pick<Channel, 'send' | 'request' | 'signal'> {
  readonly id: string;
  readonly known: KnownModel;
  /** Waits for the next message of a type. @returns the bytes of its body; at once if one has come that nobody waited for */
  next(type: { readonly contentType: number }): Promise<number>;
  /** Forgets the messages that have come, and that nobody waited for. */
  forget(): void;
  /** Subscribes to the data model. @returns the bytes of the answer: a full state */
  subscribe(): Promise<number>;
  close(): void;
}

const { hello, result } = messages.channel;
const { serverHello, clientHello } = messages.routers;
const { route, routeResult } = messages.circuits;
const { subscribeToDataModel, dataState, changeSet } = messages.dataModel;

/** Longer messages are not read. */
const MAX_READ = 65_536;
/** Bytes that are kept of the begin and of the end of a long message. */
const KEPT = 64;
/** Time after which the bench gives up. ms */
const GIVEN_UP_AFTER = 120_000;
const VERSION = 'v1.7.2';

/** @throws Error if the controller refuses the router, or the connection is lost before */
export const connectLean = async ({ id, chain, key }: RouterKey, at: { port: number; clock: Clock; known?: KnownModel }) => {
  const socket = connect({
    host: '127.0.0.1',
    port: at.port,
    cert: chain,
    key,
    ALPNProtocols: ['ziti-ctrl'],
    rejectUnauthorized: false, // the server is not under test
  });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close').then(() => Promise.reject(new Error('no connection')))]);
  let known = at.known ?? { timelineId: '', currentIndex: 0n };
  const arrived = new Map<number, number[]>();
  const waiting = new Map<number, ((bytes: number) => void)[]>();
  const arrive = (contentType: number, bytes: number): void => {
    const first = waiting.get(contentType)?.shift();
    if (first) first(bytes);
    else if (COUNTED.has(contentType)) arrived.set(contentType, [...(arrived.get(contentType) ?? []), bytes]);
  };
  const channel = createChannel({
    clock: at.clock,
    wire: {
      write: (bytes) => void socket.write(bytes),
      get buffered() {
        return socket.writableLength;
      },
      drained: async () => undefined,
      end: () => socket.end(),
    },
    take: (frame) => () => {
      if (frame.contentType === changeSet.contentType) known = { ...known, currentIndex: indexIn(frame.body) };
      if (frame.contentType === dataState.contentType) known = modelAtEndOf(frame.body);
      if (frame.contentType === serverHello.contentType) channel.answer(frame, clientHello, greetingOf(id));
      if (frame.contentType === route.contentType) {
        const { circuitId, attempt } = route.decode(frame.body);
        channel.answer(frame, routeResult, circuitId, [routeHeader.attempt.of(attempt), routeHeader.success.of(true)]);
      }
      arrive(frame.contentType, frame.body.length);
    },
    note: () => undefined,
  });
  const welcomed = Promise.withResolvers<void>();
  let isWelcome = false;
  const take = (frame: Frame): void => {
    if (isWelcome) return void channel.received(frame);
    isWelcome = header.success.in(frame) === true;
    if (isWelcome) welcomed.resolve();
    else welcomed.reject(new Error(result.decode(frame.body)));
  };
  const readPart = createPartReader(take, ({ contentType, bytes, begin, end }) => {
    if (contentType === dataState.contentType) known = modelAtEndOf(end);
    if (contentType === changeSet.contentType) known = { ...known, currentIndex: indexIn(begin) };
    arrive(contentType, bytes);
  });
  socket.on('data', readPart).on('close', () => {
    welcomed.reject(new Error('the connection was closed'));
    channel.close('the connection was closed');
  });
  socket.write(helloOf(id, at.known !== undefined));
  await welcomed.promise;
  channel.start();
  const next: LeanRouter['next'] = ({ contentType }) =>
    new Promise((resolve, reject) => {
      const first = arrived.get(contentType)?.shift();
      if (first !== undefined) return resolve(first);
      if (channel.signal.aborted) return reject(channel.signal.reason);
      channel.signal.addEventListener('abort', () => reject(channel.signal.reason));
      setTimeout(() => reject(new Error(`no message of type ${contentType} came`)), GIVEN_UP_AFTER).unref();
      waiting.set(contentType, [...(waiting.get(contentType) ?? []), resolve]);
    });
  const router: LeanRouter = {
    id,
    get known() {
      return known;
    },
    send: channel.send,
    request: channel.request,
    signal: channel.signal,
    next,
    forget: () => arrived.clear(),
    subscribe: async () => {
      channel.send(subscribeToDataModel, { subscriptionDurationSeconds: 3600, ...known });
      return next(dataState);
    },
    close: () => channel.close('the router has closed the connection'),
  };
  return router;
};

/** Messages that are kept until somebody waits for them. */
const COUNTED: ReadonlySet<number> = new Set([dataState.contentType, changeSet.contentType]);

interface LongMessage {
  readonly contentType: number;
  /** Bytes of the body, and the first and last of them. */
  readonly bytes: number;
  readonly begin: Uint8Array;
  readonly end: Uint8Array;
}

const createPartReader = (onFrame: (frame: Frame) => void, onLong: (message: LongMessage) => void): ((part: Uint8Array) => void) => {
  const reader = createFrameReader({ headers: MAX_READ, body: MAX_READ });
  let unread: Buffer = Buffer.alloc(0);
  let long: { contentType: number; bytes: number; left: number; begin: Buffer; end: Buffer } | undefined;
  return (part) => {
    unread = unread.length === 0 ? Buffer.from(part.buffer, part.byteOffset, part.byteLength) : Buffer.concat([unread, part]);
    while (unread.length > 0) {
      if (long) {
        const bytes = unread.subarray(0, long.left);
        long.left -= bytes.length;
        long.end = Buffer.concat([long.end, bytes.subarray(-KEPT)]).subarray(-KEPT);
        unread = unread.subarray(bytes.length);
        if (long.left > 0) return;
        onLong(long);
        long = undefined;
        continue;
      }
      if (unread.length < PREFIX_BYTES) return;
      const [contentType, headers, bytes] = [unread.readInt32LE(4), unread.readUInt32LE(12), unread.readUInt32LE(16)];
      const start = PREFIX_BYTES + headers;
      if (bytes <= MAX_READ) {
        if (unread.length < start + bytes) return;
        for (const frame of reader.read(unread.subarray(0, start + bytes))) onFrame(frame);
        unread = unread.subarray(start + bytes);
        continue;
      }
      if (unread.length < start + KEPT) return;
      unread = unread.subarray(start);
      long = { contentType, bytes, left: bytes, begin: Buffer.from(unread.subarray(0, KEPT)), end: Buffer.alloc(0) };
    }
  };
};

/** The index at the begin of a change set. */
const indexIn = (begin: Uint8Array): bigint => {
  let [index, shift] = [0n, 0n];
  if (begin[0] !== 0x08) return 0n;
  for (let at = 1; at < 11; at++, shift += 7n) {
    const byte = begin[at] ?? 0;
    index |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return index;
};

/** The index and the timeline at the end of a full state, which is not decoded as a whole. */
const modelAtEndOf = (bytes: Uint8Array): KnownModel => {
  const end = bytes.subarray(-KEPT);
  // The last two fields are the index (tag 0x10) and the timeline (tag 0x1a, length).
  for (let at = end.length - 2; at >= 0; at--) {
    if (end[at] !== 0x1a || at + 2 + (end[at + 1] ?? 0) !== end.length) continue;
    const fields = Array.from({ length: 11 }, (_, length) => end.subarray(at - length, at)).find(
      (one) => one.length > 1 && one[0] === 0x10,
    );
    const currentIndex = fields ? indexIn(Uint8Array.of(0x08, ...fields.subarray(1))) : 0n;
    return { timelineId: textOf(end.subarray(at + 2)), currentIndex };
  }
  throw new TypeError('a full state does not end with its timeline');
};

const helloOf = (id: string, isReconnecting: boolean): Uint8Array => {
  const listeners = [{ protocol: 'tls', address: `tls:${id}.test:6000`, groups: ['default'] }];
  const headers = headersOf([
    ...(isReconnecting ? [header.connectionId.of(`former connection of ${id}`)] : []),
    header.version.of(`${VERSION}|bench|2026-01-01 00:00:00|linux|amd64`),
    earlierHelloHeader.listeners.of(linkListeners.encode({ listeners })),
    earlierHelloHeader.metadata.of(routerMetadata.encode({ capabilities: ['linkManagement'] })),
  ]);
  return encodeFrame({ contentType: hello.contentType, sequence: -1, headers, body: utf8(id) });
};

const greetingOf = (id: string) => {
  const address = { protocol: 'tls', hostname: `${id.toLowerCase()}.routers.test`, port: 3022 };
  const { hostname, port } = address;
  return {
    version: VERSION,
    hostname,
    protocols: ['tls'],
    protocolPorts: [String(port)],
    listeners: [{ address: { ...address, value: `tls:${hostname}:${port}` }, advertise: { ...address, value: `${hostname}:${port}` } }],
  };
};
