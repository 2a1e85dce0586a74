import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Handling } from '../../../adapters/http/handling.ts';
import { clientCertificates } from '../../../adapters/http/node.ts';
import type { HandlerOptions } from '../../../src/http/handler.ts';
import { type Pair, selfSigned } from '../../adapters/http/certificates.ts';
import { type Bare, connect as connectTo } from '../../adapters/http/sockets.ts';
import { type Behaviours, handlerOf, M } from '../../unit/http/fake-api.ts';

/** How long an answer may take on a busy machine. */
const PATIENCE_MS = 10_000;

export interface Host {
  readonly name: string;
  /**
   * An application that hands what is below `mount` (`/overlay`, or the root when it is empty) to the controller. To all else it answers
   * 418, and it sets the header `x-host: yes` on every answer.
   */
  readonly application: (controller: Handling, mount: string) => http.RequestListener | Promise<http.RequestListener>;
}

/** Bytes of a body that the controllers here take. */
export const LIMIT = 1000;
/** Where the small API of the tests lies in the hosts. */
export const MOUNT = '/overlay';
export const API = `${MOUNT}${M}`;

export interface Opening {
  readonly behaviours?: Behaviours;
  readonly settings?: Partial<HandlerOptions['settings']>;
  /** In place of the small API. */
  readonly controller?: Handling;
  readonly mount?: string;
  readonly secure?: boolean;
}

/** A server that listens, and what is asked of it. Nobody waits for an answer longer than two seconds. */
export interface Server {
  readonly port: number;
  readonly address: string;
  ask(method: string, path: string, asking?: Asking): Promise<Asked>;
}

export interface Asking {
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  /** Of the client. */
  readonly pair?: Pick<Pair, 'key' | 'cert'>;
}

export interface Asked {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

/** Opens a host's application on a socket of its own, closed after the test. */
export type Open = (opening?: Opening) => Promise<Server>;

const certificate = selfSigned('server');

export const opener =
  (host: Host, t: Pick<TestContext, 'after'>): Open =>
  async ({ behaviours, settings, controller = { handle: handlerOf(behaviours, settings) }, mount = MOUNT, secure = false } = {}) => {
    const application = await host.application(controller, mount);
    const server = secure ? https.createServer({ ...clientCertificates, ...certificate }, application) : http.createServer(application);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo; // a TCP server that listens has one
    const scheme = secure ? 'https' : 'http';
    return { port, address: `${scheme}://127.0.0.1:${port}`, ask: (method, path, asking) => ask(secure, port, method, path, asking) };
  };

const ask = (secure: boolean, port: number, method: string, path: string, { headers, body, pair }: Asking = {}): Promise<Asked> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, agent: false, signal: AbortSignal.timeout(PATIENCE_MS) } as const;
    const all = { 'zt-session': 'good', ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }), ...headers };
    const request = secure
      ? https.request({ ...options, headers: all, rejectUnauthorized: false, ...pair })
      : http.request({ ...options, headers: all });
    request.on('error', reject).on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('error', reject).on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const bytes = Buffer.concat(parts);
        const text = bytes.toString();
        const isJson = text !== '' && response.headers['content-type']?.startsWith('application/json');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text, json: isJson ? JSON.parse(text) : undefined });
      });
    });
    request.end(body);
  });

/** A bare socket to a server, for as long as an answer may take. */
export const connect = (server: Server): Bare => {
  const bare = connectTo(server);
  const timer = setTimeout(() => bare.socket.destroy(), PATIENCE_MS);
  bare.socket.once('close', () => clearTimeout(timer));
  return bare;
};

/** Request line and headers for a bare socket, with a good session. */
export const head = (method: string, path: string, ...headers: readonly string[]): string =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: x', 'zt-session: good', ...headers].join('\r\n')}\r\n\r\n`;

export const JSON_BODY = { 'content-type': 'application/json' } as const;
