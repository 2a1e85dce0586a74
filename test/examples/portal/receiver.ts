import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Delivered {
  readonly revision: number;
  readonly action: string;
  readonly device: string;
  readonly actor: string;
}

/** Where a webhook posts to: keeps what it was given, in order. */
export const startReceiver = async (): Promise<{ readonly url: string; readonly delivered: readonly Delivered[] } & AsyncDisposable> => {
  const delivered: Delivered[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    delivered.push(JSON.parse(body));
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server that listens has one
    delivered,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
