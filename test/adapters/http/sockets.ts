import net from 'node:net';
import tls from 'node:tls';
import type { Serving } from '../../../adapters/http/node.ts';

/** What came back over a bare socket until the server closed it. */
export interface Exchange {
  readonly text: string;
  /**
   * How often a timer of `BEAT_MS` went off until then. Client and server share a process: where that has to wait for a processor, it
   * misses beats, and counts none for them.
   */
  readonly beats: number;
}

const BEAT_MS = 25;

/** More beats than any limit of a test takes, and fewer than any default of the server. */
export const SOON = 100;

export interface Bare {
  readonly socket: net.Socket;
  write(text: string | Uint8Array): void;
  /** Resolves when the server has closed, however it did. */
  readonly closed: Promise<Exchange>;
  /** Resolves once so much text has come. */
  until(pattern: RegExp): Promise<string>;
}

/** How many beats some work takes. */
export const beatsOf = async (work: Promise<unknown>): Promise<number> => {
  let beats = 0;
  const beat = setInterval(() => beats++, BEAT_MS);
  await work.finally(() => clearInterval(beat));
  return beats;
};

/** A bare socket to a server, over TLS if it speaks that. */
export const connect = (
  { port, address }: Pick<Serving, 'port' | 'address'>,
  options: tls.ConnectionOptions & { readonly plain?: boolean } = {},
): Bare => {
  let beats = 0;
  const beat = setInterval(() => beats++, BEAT_MS);
  const secure = address.startsWith('https') && !options.plain;
  const socket = secure
    ? tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
    : net.connect({ port, host: '127.0.0.1' });
  let text = '';
  let look = () => {};
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    look();
  });
  socket.on('error', () => undefined);
  return {
    socket,
    write: (data) => void (socket.destroyed || socket.write(data)),
    closed: new Promise((resolve) =>
      socket.once('close', () => {
        clearInterval(beat);
        resolve({ text, beats });
      }),
    ),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (pattern.test(text)) resolve(text);
        };
        look();
        socket.once('close', () => reject(new Error(`closed before ${pattern}: ${text.slice(0, 200)}`)));
      }),
  };
};

export const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
export const codeOf = (text: string): string | undefined => /"code":"(\w+)"/.exec(text)?.[1];
