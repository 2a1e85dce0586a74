import type { ServerSentEvent } from '../contract/api/surfaces/http-output.ts';
import { clearTimeout, setTimeout } from '../runtime/platform/timers.ts';

/** Interval between keep-alive comments on a silent stream, in milliseconds, because intermediaries close idle connections. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT: IteratorResult<string, undefined> = { value: ':\n\n' };

/** Formats events as Server-Sent Events (HTML Living Standard, 9.2.6). While there are no events, it sends comments as heartbeats. */
export const eventStream = (events: AsyncIterable<ServerSentEvent<unknown>>, heartbeatMs = HEARTBEAT_MS): AsyncIterable<string> => {
  const source = events[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<string, undefined>> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const read = async (): Promise<IteratorResult<string, undefined>> => {
    const { done, value } = await source.next();
    return done ? { done, value: undefined } : { value: formatEvent(value) };
  };
  const next = async (): Promise<IteratorResult<string, undefined>> => {
    pending ??= read();
    const silence = new Promise<typeof HEARTBEAT>((resolve) => {
      timer = setTimeout(resolve, heartbeatMs, HEARTBEAT);
    });
    try {
      const first = await Promise.race([pending, silence]);
      if (first !== HEARTBEAT) pending = undefined;
      return first;
    } finally {
      clearTimeout(timer);
    }
  };
  return iteratedOnce(next, () => {
    clearTimeout(timer);
    abandon(source);
  });
};

/** @throws TypeError for a type or an id with a line break, which would begin another field, or with U+0000 */
const formatEvent = ({ data, event, id, retry }: ServerSentEvent<unknown>): string => {
  const lines: string[] = [];
  for (const [name, value] of [
    ['event', event],
    ['id', id],
  ] as const) {
    if (value === undefined) continue;
    if (/[\r\n\0]/.test(value))
      throw new TypeError(`the ${name} of a Server-Sent Event must be one line, got ${JSON.stringify(value.slice(0, 100))}`);
    lines.push(`${name}: ${value}`);
  }
  if (retry !== undefined) lines.push(`retry: ${retry}`);
  if (data !== undefined) for (const line of textOf(data).split(/\r\n|\r|\n/)) lines.push(`data: ${line}`);
  return `${lines.join('\n')}\n\n`;
};

/** Several streams may send the same object, which does not change. */
const texts = new WeakMap<object, string>();

const textOf = (data: unknown): string => {
  if (typeof data === 'string') return data;
  if (typeof data !== 'object' || data === null) return JSON.stringify(data);
  let text = texts.get(data);
  if (text === undefined) texts.set(data, (text = JSON.stringify(data)));
  return text;
};

/** The result of an iterator that has ended. */
export const ENDED: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/**
 * An iterable that is iterated once, because its items are produced meanwhile.
 * @param end called when the consumer wants no more
 */
export const iteratedOnce = <T>(next: () => Promise<IteratorResult<T, undefined>>, end: () => unknown): AsyncIterable<T> => {
  const iterator: AsyncIterator<T, undefined> = {
    next,
    return: async () => {
      await end();
      return ENDED;
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
};

/** Stops a source without waiting for it, and ignores errors. */
export const abandon = (source: AsyncIterator<unknown>): void => void source.return?.().catch(() => undefined);
