import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import type { Party } from './pki.ts';

export interface ConnectProxy {
  readonly port: number;
  /** The destinations that it was asked for, in order: `93.184.216.34:443`. */
  readonly asked: readonly string[];
  /** The header `proxy-authorization` of each request. */
  readonly credentials: readonly (string | undefined)[];
  /** Requests other than CONNECT. */
  readonly forwarded: readonly string[];
  /** The name that each TLS client asked for; false for a client that named none. */
  readonly names: readonly unknown[];
  /** Resolves once every connection is closed, of clients and to destinations. */
  closed(): Promise<void>;
}

/** What a proxy does with a request for a tunnel. */
export type OnConnect = (socket: Duplex, request: IncomingMessage) => void;

/** Opens each tunnel to a port of this machine, whatever the destination is. */
export const leadingTo =
  (port: number, status = 200): OnConnect =>
  (socket) => {
    const destination = connect(port, '127.0.0.1', () => {
      socket.write(`HTTP/1.1 ${status} Connection established\r\n\r\n`);
      socket.pipe(destination).pipe(socket);
    });
    for (const [one, other] of [
      [socket, destination],
      [destination, socket],
    ] as const)
      one.once('close', () => other.destroy()).on('error', () => other.destroy());
  };

/** Says something at once, and something else when the client says anything, until the client goes. */
export const saying =
  (text: string, next = ''): OnConnect =>
  (socket) => {
    socket
      .once('data', () => socket.write(next))
      .once('end', () => socket.destroy())
      .on('error', () => socket.destroy())
      .write(text);
  };

/** An HTTP proxy on loopback. It speaks TLS if it has a certificate. */
export const connectProxy = async (t: TestContext, onConnect: OnConnect, certificate?: Party): Promise<ConnectProxy> => {
  const [asked, credentials, forwarded, open]: [string[], (string | undefined)[], string[], Set<Socket>] = [[], [], [], new Set()];
  const names: unknown[] = [];
  const http = certificate ? createSecureServer({ cert: certificate.cert, key: certificate.key }) : createServer();
  http.on('request', ({ method, url }, response) => {
    forwarded.push(`${method} ${url}`);
    response.end('answered by the proxy');
  });
  http.on('connect', (request: IncomingMessage, socket: Duplex) => {
    asked.push(request.url ?? '');
    credentials.push(request.headers['proxy-authorization']);
    onConnect(socket, request);
  });
  http.on('secureConnection', ({ servername }) => names.push(servername));
  const server: Server = http;
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const closed = async () => {
    while (open.size > 0) await Promise.all([...open].map((socket) => new Promise((gone) => socket.once('close', gone))));
  };
  // A TCP server that listens has an address with a port.
  return { port: (server.address() as AddressInfo).port, asked, credentials, forwarded, names, closed };
};
