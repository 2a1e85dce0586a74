import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HostRequest } from './node-request.ts';

/** Requests of a connection that are worked on, or whose answers it has not taken yet. */
const AT_ONCE = 4;
/** Requests of a connection that may wait; beyond that the connection is not read while they do. Reading up to here is what detects a closed connection. */
const MOST_WAITING = 256;

interface Line {
  /** The answers to the requests that came last, `AT_ONCE` of them. */
  readonly last: ServerResponse[];
  waiting: number;
}

/**
 * Orders pipelined requests, which arrive on a connection before the earlier ones are answered (RFC 9112, section 9.3.2). If all of them were processed at
 * once, their answers would fill the memory when the client does not read them, and other clients would wait.
 */
export interface PipelinedQueue {
  /** @returns undefined if the request may start; otherwise resolves when it may, to false if the connection is closed */
  admit(host: HostRequest): Promise<boolean> | undefined;
}

export const createPipelinedQueue = (): PipelinedQueue => {
  const lines = new WeakMap<object, Line>();

  const wait = async (line: Line, before: ServerResponse, { socket }: IncomingMessage): Promise<boolean> => {
    if (++line.waiting > MOST_WAITING) socket.pause();
    await new Promise((resolve) => before.once('close', resolve));
    // Long before the last one: its body may still be on its way.
    if (line.waiting-- === MOST_WAITING) socket.resume();
    return !socket.destroyed;
  };

  return {
    admit: ({ req, res }) => {
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
