import type { ServerSentEvent } from '../src/contract/api/surfaces/http-output.ts';
import { unansweredError } from './unanswered-error.ts';

/** Time without data after which a connection is considered lost, in milliseconds. A controller sends a comment every 15 seconds. */
const SILENCE_MS = 45_000;

/**
 * Iterates over the Server-Sent Events of an answer until it ends.
 * @throws ApiError `SERVER_UNAVAILABLE` if the connection is lost
 */
export async function* eventsIn({ body, url }: Response): AsyncGenerator<ServerSentEvent, void, undefined> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const parse = createParser();
  try {
    for (let part = await withTimeout(reader.read(), url); !part.done; part = await withTimeout(reader.read(), url))
      yield* parse(part.value);
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Creates a parser for chunks of text, which returns the events that each chunk completes (HTML Living Standard, 9.2.6). */
export const createParser = (): ((part: string) => readonly ServerSentEvent[]) => {
  let remainder = '';
  let fields: [name: string, value: string][] = [];

  return (part) => {
    const events: ServerSentEvent[] = [];
    // A line break may be split between chunks: a CR at the end waits for its LF.
    const lines = (remainder + part).split(/\r\n|\n|\r(?!$)/);
    remainder = lines.pop() ?? '';
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? [];
      if (name !== '') fields.push([name, value]);
      if (line !== '' || fields.length === 0) continue;
      events.push(eventOf(fields));
      fields = [];
    }
    return events;
  };
};

const eventOf = (fields: readonly (readonly [name: string, value: string])[]): ServerSentEvent => {
  const data = fields.flatMap(([name, value]) => (name === 'data' ? [value] : []));
  const { event, id, retry } = Object.fromEntries(fields);
  return {
    ...(event ? { event } : {}),
    ...(id === undefined ? {} : { id }),
    ...(retry !== undefined && /^\d+$/.test(retry) ? { retry: Number(retry) } : {}),
    ...(data.length > 0 ? { data: data.join('\n') } : {}),
  };
};

const withTimeout = async <T>(read: Promise<T>, url: string): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no event arrived for ${SILENCE_MS} ms`)), SILENCE_MS);
  });
  try {
    return await Promise.race([read, silence]);
  } catch (error) {
    throw unansweredError(`GET ${url}`, error);
  } finally {
    clearTimeout(timer);
  }
};
