/**
 * Events of the network as messages of AMQP 0-9-1, for RabbitMQ and other brokers, with the library `amqplib`.
 * @module overlay-controller/events/amqp
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { type ConfirmChannel, connect } from 'amqplib';
import { allNetworkEventKinds, checkedOptions } from '../../src/adapter-kit.ts';
import type { ManagementController, NetworkEvent, NetworkEventKind } from '../../src/index.ts';
import { type Backlog, createBacklog } from './backlog.ts';
import { listenToKinds } from './listen.ts';

/** Options of `amqpEvents`. */
export interface AmqpEventsOptions {
  /** The broker: `amqp://USER:PASSWORD@HOST:PORT/VHOST`, or `amqps://` for TLS. */
  readonly url: string;
  /** The queue to which messages are sent. It is declared, and durable. */
  readonly queue?: string;
  /**
   * The exchange to which messages are sent instead, with the kind and the type as the routing key: `circuit.failed`, `link.routerLinkNew`.
   * It is declared, durable, and of the type `topic`. Messages that it routes nowhere are dropped by the broker.
   */
  readonly exchange?: string;
  /** The kinds of events. Default: all but `trace`, and of usage only `usage.v3`. */
  readonly kinds?: readonly NetworkEventKind[];
  /** Maximum number of events that wait for the broker; more are missed, and counted. Default: 10,000. */
  readonly bufferSize?: number;
  /** Certificates for `amqps://`: `ca`, and `cert` and `key` of the client. Default: the authorities that Node trusts. */
  readonly tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'passphrase'>;
}

/** Events on their way to a broker. */
export interface AmqpEvents {
  /** Number of events that the broker has not confirmed yet. */
  readonly waiting: number;
  /**
   * Stops listening, and closes the connection once the broker has confirmed the waiting events.
   * @param waitMs maximum time to wait for that. Default: 1000
   */
  close(waitMs?: number): Promise<void>;
}

interface Message {
  readonly key: string;
  readonly content: Buffer;
  readonly id: string;
  readonly size: number;
}

const KNOWN_OPTIONS = { url: true, queue: true, exchange: true, kinds: true, bufferSize: true, tls: true } as const;
const DEFAULT_BUFFER = 10_000;
/** Maximum size of all messages that wait. bytes */
const MAX_BYTES = 16 * 1_048_576;
/** Maximum number of messages that are sent before the broker has confirmed the earlier ones. */
const WINDOW = 500;
const CONNECT_MS = 10_000;
/** Delay before the first and later attempts to connect again. ms */
const MIN_DELAY = 500;
const MAX_DELAY = 30_000;
const CLOSE_MS = 1000;
/** Approximate size of the properties of a message. bytes */
const OVERHEAD = 200;

/**
 * Publishes the network events of a controller as JSON. The broker confirms each one: events that it has not confirmed are sent again once
 * it can be reached, with the same message id, so they are delivered at least once. They wait in memory, up to a bound. What is missed
 * beyond it is reported by an event: `{ "namespace": "stream", "event_type": "gap", "missed": 12 }`.
 *
 * ```ts
 * const events = amqpEvents(controller, { url: 'amqps://controller:secret@broker.example.com', queue: 'network-events' });
 * // later: await events.close()
 * ```
 * @throws TypeError for invalid options
 */
export const amqpEvents = (controller: Pick<ManagementController, 'networkEvents' | 'logger'>, options: AmqpEventsOptions): AmqpEvents => {
  const { kinds = DEFAULT_KINDS, bufferSize = DEFAULT_BUFFER, ...target } = checkedOptions('amqpEvents', options, KNOWN_OPTIONS);
  checkTarget(target, bufferSize);
  const { networkEvents, logger } = controller;
  let sourceId = '';
  const gapOf = (missed: number) => {
    const gap = { namespace: 'stream', event_src_id: sourceId, timestamp: new Date().toISOString(), event_type: 'gap', missed };
    logger.warn('events of the network were missed, because the broker did not take them', { missed });
    return messageOf(gap, target);
  };
  const backlog = createBacklog<Message>({ events: bufferSize, bytes: MAX_BYTES }, gapOf, () =>
    logger.warn('no more events of the network can wait for the broker: others are missed', { waiting: backlog.length }),
  );
  let wake = () => {};
  const listener = (event: NetworkEvent) => {
    sourceId = event.event_src_id;
    backlog.add(messageOf(event, target));
    wake();
  };
  const stopListening = listenToKinds(networkEvents, kinds, () => listener);
  const ending = new AbortController();
  const publishing: Publishing = {
    backlog,
    target,
    signal: ending.signal,
    changed: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    wake: () => wake(),
  };
  const done = publishUntilEnd(publishing, (error, isRepeated) => {
    const details = { error: error instanceof Error ? error.message : String(error), waiting: backlog.length };
    if (!isRepeated) logger.warn('events of the network cannot be published; they wait, and this is tried again', details);
  });
  return {
    get waiting() {
      return backlog.length;
    },
    close: async (waitMs = CLOSE_MS) => {
      stopListening();
      const end = Date.now() + waitMs;
      while (backlog.length > 0 && Date.now() < end) await pause(20);
      ending.abort();
      wake();
      await done;
      if (backlog.length > 0) logger.warn('events of the network were not published before the end', { missed: backlog.length });
    },
  };
};

const NOT_PUBLISHED: ReadonlySet<NetworkEventKind> = new Set(['trace', 'usage']);
const DEFAULT_KINDS = allNetworkEventKinds.filter((kind) => !NOT_PUBLISHED.has(kind));

type Target = Pick<AmqpEventsOptions, 'url' | 'queue' | 'exchange' | 'tls'>;

/** Errors omit the URL, which may contain a password. */
const checkTarget = ({ url, queue, exchange }: Target, bufferSize: number): void => {
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== 'amqp:' && protocol !== 'amqps:') throw new TypeError('amqpEvents takes as url an address such as amqps://HOST/VHOST');
  if (queue === '' || exchange === '' || (queue === undefined) === (exchange === undefined))
    throw new TypeError('amqpEvents takes either a queue or an exchange');
  if (!Number.isInteger(bufferSize) || bufferSize < 1) throw new TypeError('amqpEvents takes as bufferSize a whole number, at least 1');
};

const messageOf = (event: object & { readonly namespace: string }, { queue }: Target): Message => {
  const { namespace, event_type: type, eventType = type }: { namespace: string; event_type?: unknown; eventType?: unknown } = event;
  const content = Buffer.from(JSON.stringify(event));
  const key = queue ?? (typeof eventType === 'string' ? `${namespace}.${eventType}` : namespace);
  return { key, content, id: randomUUID(), size: content.length + OVERHEAD };
};

interface Publishing {
  readonly backlog: Backlog<Message>;
  readonly target: Target;
  readonly signal: AbortSignal;
  /** Resolves after the next `wake`. */
  changed(): Promise<void>;
  wake(): void;
}

/** Publishes, and connects again whenever a connection fails, until the signal is aborted. */
const publishUntilEnd = async (publishing: Publishing, report: (error: unknown, isRepeated: boolean) => void): Promise<void> => {
  const { backlog, signal } = publishing;
  let delay = MIN_DELAY;
  while (!signal.aborted) {
    const isRepeated = delay > MIN_DELAY;
    await publish(publishing, () => {
      delay = MIN_DELAY;
    }).catch((error: unknown) => {
      if (!signal.aborted) report(error, isRepeated);
    });
    backlog.takeBack();
    // Controllers that lost the same broker do not all return at once.
    await pause(delay * (0.75 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined);
    delay = Math.min(delay * 2, MAX_DELAY);
  }
};

/** Publishes over one connection until it fails, or the signal is aborted. */
const publish = async ({ backlog, target, signal, changed, wake }: Publishing, connected: () => void): Promise<void> => {
  const connecting = connect(target.url, { ...target.tls, timeout: CONNECT_MS });
  const connection = await Promise.race([connecting, aborted(signal)]);
  if (!connection) return void connecting.then((late) => late.close()).catch(() => undefined);
  let failure: Error | undefined;
  const fail = (error?: Error) => {
    failure ??= error ?? new Error('the broker has closed the connection');
    wake();
  };
  connection.on('error', fail);
  connection.on('close', fail);
  try {
    const channel = await connection.createConfirmChannel();
    channel.on('error', fail);
    channel.on('close', fail);
    // Only messages to a queue are returned: it has been deleted, and is declared again with the next connection.
    channel.on('return', () => fail(new Error('the queue does not exist any more')));
    await declare(channel, target);
    connected();
    let isBlocked = false;
    channel.on('drain', () => {
      isBlocked = false;
      wake();
    });
    while (!failure && !signal.aborted) {
      const message: Message | undefined = isBlocked || backlog.onTheWay >= WINDOW ? undefined : backlog.take();
      if (message) {
        isBlocked = !send(channel, target, message, (error) => {
          if (error) return fail(error);
          // A returned message is confirmed, too, right after it.
          if (failure) return;
          backlog.delivered(message);
          wake();
        });
      } else await changed();
    }
    if (failure) throw failure;
  } finally {
    // A broker that does not answer is not waited for.
    await Promise.race([connection.close().catch(() => undefined), pause(CLOSE_MS, undefined, { ref: false })]);
  }
};

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

const declare = async (channel: ConfirmChannel, { queue, exchange = '' }: Target): Promise<void> => {
  if (queue === undefined) await channel.assertExchange(exchange, 'topic', { durable: true });
  else await channel.assertQueue(queue, { durable: true });
};

const send = (
  channel: ConfirmChannel,
  { queue, exchange = '' }: Target,
  { key, content, id }: Message,
  confirmed: (error: Error | null) => void,
): boolean =>
  channel.publish(
    queue === undefined ? exchange : '',
    key,
    content,
    {
      contentType: 'application/json',
      persistent: true,
      mandatory: queue !== undefined,
      messageId: id,
      appId: 'overlay-controller',
    },
    confirmed,
  );
