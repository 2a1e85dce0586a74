/** A router whose behaviour on the control channel is scripted by a test. */
import { FRAME_LIMITS } from '../src/fabric/control-channel/accept.ts';
import { type Channel, createChannel, type OwnedChannel, type RequestOptions } from '../src/fabric/control-channel/channel.ts';
import { encodeFrame, type Frame } from '../src/fabric/control-channel/frame.ts';
import { createFrameReader } from '../src/fabric/control-channel/frame-reader.ts';
import {
  earlierHelloHeader,
  type Header,
  header,
  headersOf,
  helloHeader,
  routerCapability,
} from '../src/fabric/control-channel/header-fields.ts';
import { messages } from '../src/fabric/control-channel/messages/index.ts';
import { linkListeners } from '../src/fabric/control-channel/messages/links.ts';
import type { MessageType } from '../src/fabric/control-channel/messages/message-type.ts';
import { routerMetadata } from '../src/fabric/control-channel/messages/routers.ts';
import { utf8 } from '../src/fabric/control-channel/primitives.ts';
import type { TestCertificate } from './certificates.ts';
import type { TestClock } from './clock.ts';

/** The address to connect to, and the behaviour of the router. */
export interface ScriptedRouterOptions {
  /** The port of the server. */
  readonly port: number;
  /** Host name or address of the server. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Version of the router. From `v2` on, it uses the protocol of 2.x routers. Default: `v1.7.2`. */
  readonly version?: string;
  /** The id that the router claims to have. Default: its own id. */
  readonly claimedId?: string;
  /** The id of the previous connection, which routers send when they reconnect without a restart. Default: none. */
  readonly lastConnectionId?: string;
  /** Listeners for clients. Default: a `tls` listener on port 3022. */
  readonly listeners?: readonly { readonly protocol: string; readonly hostname: string; readonly port: number }[];
  /** Listeners for links from other routers. Default: a `tls` listener on port 6000. */
  readonly linkListeners?: readonly { readonly protocol: string; readonly address: string }[];
  /** Handlers that replace the default ones, by message name, e.g. `ServerHello`. */
  readonly script?: Readonly<Record<string, (frame: Frame, router: ScriptedRouter) => void>>;
}

/** A connected router that sends and receives messages, and raw bytes for tests of invalid input. */
export interface ScriptedRouter extends Pick<Channel, 'send' | 'answer' | 'signal'> {
  /** The controller's answer to the hello of the router. */
  readonly welcome: Frame;
  /** Sends a message, and waits for the answer. */
  request<I>(message: MessageType<unknown, I>, value: I, options?: RequestOptions): Promise<Frame>;
  /**
   * Waits for the next unread message of this type.
   * @throws if the connection ends first
   */
  next(message: Pick<MessageType<unknown>, 'contentType' | 'name'>): Promise<Frame>;
  /** Sends raw bytes. */
  write(bytes: Uint8Array): void;
  /** Number of written bytes that the controller has not read yet. */
  readonly kept: number;
  /** Stops reading until `resume`. */
  pause(): void;
  /** Resumes reading. */
  resume(): void;
  /** Ends the connection. */
  close(): void;
}

interface Identity {
  readonly id: string;
  readonly certificate: Pick<TestCertificate, 'chain' | 'key'>;
  readonly clock: TestClock;
}

const { hello, result } = messages.channel;
const { serverHello, clientHello } = messages.routers;

/**
 * Connects a scripted router.
 * @throws Error with the controller's message if it rejects the router or closes the connection
 */
export const connectScripted = async ({ id, certificate, clock }: Identity, options: ScriptedRouterOptions): Promise<ScriptedRouter> => {
  const { host = '127.0.0.1', port, version = 'v1.7.2', claimedId = id, script = {} } = options;
  // Imported only here, because the rest of the kit also runs without Node.
  const { connect } = await import('node:tls');
  const socket = connect({
    host,
    port,
    cert: certificate.chain,
    key: certificate.key,
    ALPNProtocols: ['ziti-ctrl'],
    rejectUnauthorized: false, // the server is not under test
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve).once('error', reject);
  });
  socket.on('error', () => undefined);

  const waiting = new Map<number, ((frame: Frame | Error) => void)[]>();
  const unread = new Map<number, Frame[]>();
  const receive = (frame: Frame): void => {
    const first = waiting.get(frame.contentType)?.shift();
    if (first) first(frame);
    else append(unread, frame.contentType, frame);
  };
  const defaults: NonNullable<ScriptedRouterOptions['script']> = {
    [serverHello.name]: (frame) => channel.answer(frame, clientHello, clientHelloOf(version, id, options)),
  };
  const byType = new Map(
    messages.all.flatMap(({ name, contentType }) => {
      const handler = script[name] ?? defaults[name];
      return handler ? [[contentType, handler] as const] : [];
    }),
  );
  const channel: OwnedChannel = createChannel({
    clock,
    wire: {
      write: (bytes) => void socket.write(bytes),
      get buffered() {
        return socket.writableLength;
      },
      drained: async () => undefined, // no backpressure: tests write little
      end: () => socket.end(),
    },
    take: (frame) => () => {
      receive(frame);
      byType.get(frame.contentType)?.(frame, router);
    },
    note: () => undefined,
  });

  const welcomed = Promise.withResolvers<Frame>();
  let isWelcome = false;
  /** Resolved unless reading is paused. */
  let reading = Promise.withResolvers<void>();
  reading.resolve();
  const pump = async () => {
    const reader = createFrameReader({ ...FRAME_LIMITS, body: 67_108_864 });
    for await (const part of socket) {
      await reading.promise;
      for (const frame of reader.read(part)) {
        if (isWelcome) await channel.received(frame);
        else {
          isWelcome = true;
          if (header.success.in(frame)) welcomed.resolve(frame);
          else welcomed.reject(new Error(result.decode(frame.body)));
        }
      }
    }
  };
  pump()
    .catch(() => undefined)
    .finally(() => channel.close('the controller has closed the connection'));
  channel.signal.addEventListener('abort', () => {
    welcomed.reject(channel.signal.reason);
    for (const all of waiting.values()) for (const one of all) one(channel.signal.reason);
    waiting.clear();
  });

  const router: Omit<ScriptedRouter, 'welcome'> & { welcome: Frame } = {
    // A placeholder, replaced before the router is returned.
    welcome: { contentType: result.contentType, sequence: -1, headers: new Map(), body: new Uint8Array() },
    send: channel.send,
    request: channel.request,
    answer: channel.answer,
    signal: channel.signal,
    next: ({ contentType, name }) =>
      new Promise((resolve, reject) => {
        const first = unread.get(contentType)?.shift();
        if (first) return resolve(first);
        if (channel.signal.aborted) return reject(new Error(`no ${name} came: ${channel.signal.reason.message}`));
        const settle = (frame: Frame | Error) =>
          frame instanceof Error ? reject(new Error(`no ${name} came: ${frame.message}`)) : resolve(frame);
        append(waiting, contentType, settle);
      }),
    write: (bytes) => void socket.write(bytes),
    get kept() {
      return socket.writableLength;
    },
    pause: () => {
      reading = Promise.withResolvers();
    },
    resume: () => reading.resolve(),
    close: () => channel.close('the router has closed the connection'),
  };
  const advertised = options.linkListeners ?? [{ protocol: 'tls', address: `tls:${id}.test:6000` }];
  socket.write(helloFrame(claimedId, version, advertised, options.lastConnectionId));
  router.welcome = await welcomed.promise;
  channel.start();
  return router;
};

const append = <K, V>(lists: Map<K, V[]>, key: K, value: V): void => {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
};

const helloFrame = (
  id: string,
  version: string,
  advertised: NonNullable<ScriptedRouterOptions['linkListeners']>,
  lastConnectionId: string | undefined,
): Uint8Array => {
  const listeners = linkListeners.encode({ listeners: advertised.map((one) => ({ ...one, groups: ['default'] })) });
  const headers: readonly Header[] = [
    ...(lastConnectionId === undefined ? [] : [header.connectionId.of(lastConnectionId)]),
    header.version.of(`${version}|test|2026-01-01 00:00:00|linux|amd64`),
    ...(isLater(version) ? laterHeaders(listeners) : earlierHeaders(listeners)),
  ];
  return encodeFrame({ contentType: hello.contentType, sequence: -1, headers: headersOf(headers), body: utf8(id) });
};

const isLater = (version: string): boolean => /^v(?:[2-9]|\d\d)/.test(version);

const earlierHeaders = (listeners: Uint8Array): readonly Header[] => [
  earlierHelloHeader.listeners.of(listeners),
  earlierHelloHeader.metadata.of(routerMetadata.encode({ capabilities: ['linkManagement'] })),
];

/** Since 2.x, a router opens a group of connections; this is the first. */
const laterHeaders = (listeners: Uint8Array): readonly Header[] => [
  header.underlayType.of('ctrl.default'),
  header.isGrouped.of(true),
  helloHeader.isFirstOfGroup.of(true),
  helloHeader.listeners.of(listeners),
  helloHeader.capabilities.of([routerCapability.multiChannel]),
];

const clientHelloOf = (version: string, id: string, { listeners }: ScriptedRouterOptions) => {
  const advertised = listeners ?? [{ protocol: 'tls', hostname: `${id.toLowerCase()}.routers.test`, port: 3022 }];
  return {
    version,
    hostname: advertised[0]?.hostname ?? '',
    protocols: advertised.map(({ protocol }) => protocol),
    protocolPorts: advertised.map(({ port }) => String(port)),
    listeners: advertised.map((one) => ({
      address: { ...one, value: `${one.protocol}:${one.hostname}:${one.port}` },
      advertise: { ...one, value: `${one.hostname}:${one.port}` },
    })),
  };
};
