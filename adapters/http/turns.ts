import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HostRequest } from './node-request.ts';

/** Requests of a connection that are worked on, or whose answers it has not taken yet. */
const AT_ONCE = 4;
/** Requests of a connection that may wait before it is read no further, as long as they do: a connection that is not read does not tell that it was closed. */
const MOST_WAITING = 256;

interface Line {
  /** The answers to the requests that came last, `AT_ONCE` of them. */
  readonly last: ServerResponse[];
  waiting: number;
}

/**
 * The turns of requests that come on one connection before the earlier ones are answered (pipelining; RFC 9112, section 9.3.2). Were they all worked on at
 * once, their answers would fill the memory when the client does not read them, and everyone else would wait.
 */
export interface Turns {
  /** @returns undefined if the turn has come; otherwise resolves when it has, to whether the connection is still there */
  of(host: HostRequest): Promise<boolean> | undefined;
}

export const createTurns = (): Turns => {
  const lines = new WeakMap<object, Line>();

  const wait = async (line: Line, before: ServerResponse, { socket }: IncomingMessage): Promise<boolean> => {
    if (++line.waiting > MOST_WAITING) socket.pause();
    await new Promise((resolve) => before.once('close', resolve));
    // Long before the last one: its body may still be on its way.
    if (line.waiting-- === MOST_WAITING) socket.resume();
    return !socket.destroyed;
  };

  return {
    of: ({ req, res }) => {
      // Streams of HTTP/2 have bounds of their own.
      if ('stream' in res) return undefined;
      const request = req as IncomingMessage; // as the response
      const line = lines.get(request.socket) ?? { last: [], waiting: 0 };
      lines.set(request.socket, line);
      const before = line.last.push(res) > AT_ONCE ? line.last.shift() : undefined;
      return before === undefined || before.writableFinished || before.destroyed ? undefined : wait(line, before, request);
    },
  };
};
