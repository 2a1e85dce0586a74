import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers';
import type { HostRequest } from './node-request.ts';

/** Maximum number of requests per connection that are processed concurrently, including those whose answers are not fully written. */
const MAX_ACTIVE = 4;
/**
 * Number of waiting requests per connection above which reading pauses; those of the last read may exceed it. Below it, reading continues,
 * because a closed connection is only noticed while reading.
 */
const MAX_WAITING = 256;

interface Connection {
  /** The responses to the last `MAX_ACTIVE` requests. */
  readonly last: ServerResponse[];
  waiting: number;
}

/**
 * Limits pipelined requests, which arrive on a connection before the previous ones are answered (RFC 9112, section 9.3.2). If all were
 * processed concurrently, other clients would have to wait, and the answers would fill the memory if the client does not read them.
 */
export interface PipelinedQueue {
  /** @returns undefined if the request may start; otherwise a promise of true once it may, or of false if the connection has closed */
  admit(host: HostRequest): Promise<boolean> | undefined;
}

export const createPipelinedQueue = (): PipelinedQueue => {
  const connections = new WeakMap<object, Connection>();

  /** Pauses once the chunk that is being parsed has ended: Node resumes the socket at the end of each message. */
  const pauseIfFull = (connection: Connection, socket: IncomingMessage['socket']): void =>
    void setImmediate(() => {
      if (connection.waiting > MAX_WAITING) socket.pause();
    });

  const wait = async (connection: Connection, predecessor: ServerResponse, { socket }: IncomingMessage): Promise<boolean> => {
    if (++connection.waiting > MAX_WAITING) pauseIfFull(connection, socket);
    await new Promise((resolve) => predecessor.once('close', resolve));
    // Resumes before the last waiting request starts, because the rest of its body may not have arrived yet.
    if (connection.waiting-- === MAX_WAITING) socket.resume();
    return !socket.destroyed;
  };

  return {
    admit: ({ req, res }) => {
      // HTTP/2 has its own limit on concurrent streams.
      if ('stream' in res) return undefined;
      const request = req as IncomingMessage; // HTTP/1, like the response
      const connection = connections.get(request.socket) ?? { last: [], waiting: 0 };
      connections.set(request.socket, connection);
      const predecessor = connection.last.push(res) > MAX_ACTIVE ? connection.last.shift() : undefined;
      return predecessor === undefined || predecessor.writableFinished || predecessor.destroyed
        ? undefined
        : wait(connection, predecessor, request);
    },
  };
};
