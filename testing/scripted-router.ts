/** A router whose behaviour on the control channel is scripted by a test. */
import { FRAME_LIMITS } from '../src/control-channel/accept.ts';
import { type Channel, createChannel, type OwnedChannel, type RequestOptions } from '../src/control-channel/channel.ts';
import { encodeFrame, type Frame } from '../src/control-channel/frame.ts';
import { createFrameReader } from '../src/control-channel/frame-reader.ts';
import { earlierHelloHeader, type Header, header, headersOf, helloHeader, routerCapability } from '../src/control-channel/header-fields.ts';
import { messages } from '../src/control-channel/messages/index.ts';
import { linkListeners } from '../src/control-channel/messages/links.ts';
import type { MessageType } from '../src/control-channel/messages/message-type.ts';
import { routerMetadata } from '../src/control-channel/messages/routers.ts';
import { utf8 } from '../src/control-channel/primitives.ts';
import type { TestCertificate } from './certificates.ts';
import type { TestClock } from './clock.ts';

/** The address at which routers reach a controller, and the router's messages. */
export interface ScriptedRouterOptions {
  /** The port of the server. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: `v1.7.2`. From `v2` on, it speaks as routers of the line 2.x do. */
  readonly version?: string;
  /** The id that it says it has. Default: its own. */
  readonly claimedId?: string;
  /** The id of its last connection, which a router sends unless it was restarted. Default: none. */
  readonly lastConnectionId?: string;
  /** How clients reach it. Default: one listener, `tls` on port 3022. */
  readonly listeners?: readonly { readonly protocol: string; readonly hostname: string; readonly port: number }[];
  /** Where other routers reach it. Default: one listener, `tls` on port 6000. */
  readonly linkListeners?: readonly { readonly protocol: string; readonly address: string }[];
  /** Handlers that replace the default one, by message name, e.g. `ServerHello`. */
  readonly script?: Readonly<Record<string, (frame: Frame, router: ScriptedRouter) => void>>;
}

/** Bytes that came or go as they are, for tests of bad input; and messages. */
export interface ScriptedRouter extends Pick<Channel, 'send' | 'answer' | 'signal'> {
  /** Headers of the answer to its hello, and its text. */
  readonly welcome: Frame;
  /** Sends a message, and waits for the answer. */
  request<I>(message: MessageType<unknown, I>, value: I, options?: RequestOptions): Promise<Frame>;
  /** The next unread message of this kind, once it comes. @throws if the connection ends first */
  next(message: Pick<MessageType<unknown>, 'contentType' | 'name'>): Promise<Frame>;
  /** Sends bytes as they are. */
  write(bytes: Uint8Array): void;
  /** Bytes that wait for the controller to read. */
  readonly kept: number;
  /** Reads no more until `resume`. */
  pause(): void;
  /** Reads again. */
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

/** @throws Error with the controller's message, if it refuses the router or closes the connection */
export const connectScripted = async ({ id, certificate, clock }: Identity, options: ScriptedRouterOptions): Promise<ScriptedRouter> => {
  const { host = '127.0.0.1', port, version = 'v1.7.2', claimedId = id, script = {} } = options;
  // Only here: the rest of the kit runs where there is no Node.
  const { connect } = await import('node:tls');
  const socket = connect({
    host,
    port,
    cert: certificate.chain,
    key: certificate.key,
    ALPNProtocols: ['ziti-ctrl'],
    rejectUnauthorized: false, // the test is about the other end
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve).once('error', reject);
  });
  socket.on('error', () => undefined);

  const waiting = new Map<number, ((frame: Frame | Error) => void)[]>();
  const unclaimed = new Map<number, Frame[]>();
  const take = (frame: Frame): void => {
    const first = waiting.get(frame.contentType)?.shift();
    if (first) first(frame);
    else append(unclaimed, frame.contentType, frame);
  };
  const usual: NonNullable<ScriptedRouterOptions['script']> = {
    [serverHello.name]: (frame) => channel.answer(frame, clientHello, saidBy(version, id, options)),
  };
  const byType = new Map(
    messages.all.flatMap(({ name, contentType }) => {
      const handler = script[name] ?? usual[name];
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
      drained: async () => undefined, // writes of a test may wait
      end: () => socket.end(),
    },
    take: (frame) => () => {
      take(frame);
      byType.get(frame.contentType)?.(frame, router);
    },
    note: () => undefined,
  });

  const welcomed = Promise.withResolvers<Frame>();
  let isWelcome = false;
  /** Resolved as long as the router reads. */
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
    // Replaced below, before anyone has the router.
    welcome: { contentType: result.contentType, sequence: -1, headers: new Map(), body: new Uint8Array() },
    send: channel.send,
    request: channel.request,
    answer: channel.answer,
    signal: channel.signal,
    next: ({ contentType, name }) =>
      new Promise((resolve, reject) => {
        const first = unclaimed.get(contentType)?.shift();
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
  const said = options.linkListeners ?? [{ protocol: 'tls', address: `tls:${id}.test:6000` }];
  socket.write(helloFrame(claimedId, version, said, options.lastConnectionId));
  router.welcome = await welcomed.promise;
  channel.start();
  return router;
};

const append = <K, V>(lists: Map<K, V[]>, key: K, value: V): void => {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
};

/** The hello of a router. */
const helloFrame = (
  id: string,
  version: string,
  said: NonNullable<ScriptedRouterOptions['linkListeners']>,
  lastConnectionId: string | undefined,
): Uint8Array => {
  const listeners = linkListeners.encode({ listeners: said.map((one) => ({ ...one, groups: ['default'] })) });
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

/** A group of connections; this is the first. */
const laterHeaders = (listeners: Uint8Array): readonly Header[] => [
  header.underlayType.of('ctrl.default'),
  header.isGrouped.of(true),
  helloHeader.isFirstOfGroup.of(true),
  helloHeader.listeners.of(listeners),
  helloHeader.capabilities.of([routerCapability.multiChannel]),
];

const saidBy = (version: string, id: string, { listeners }: ScriptedRouterOptions) => {
  const said = listeners ?? [{ protocol: 'tls', hostname: `${id.toLowerCase()}.routers.test`, port: 3022 }];
  return {
    version,
    hostname: said[0]?.hostname ?? '',
    protocols: said.map(({ protocol }) => protocol),
    protocolPorts: said.map(({ port }) => String(port)),
    listeners: said.map((one) => ({
      address: { ...one, value: `${one.protocol}:${one.hostname}:${one.port}` },
      advertise: { ...one, value: `${one.hostname}:${one.port}` },
    })),
  };
};
