/**
 * A TCP proxy that can fall silent, as a network does that has forgotten its connections: they stay open, and nothing gets through any
 * more.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface SilentProxy extends AsyncDisposable {
  readonly port: number;
  /** From now on connections that are open, and such as come, get no answer. */
  fallSilent(): void;
  /** New connections get through again; those that fell silent stay so. */
  recover(): void;
}

export const silentProxy = async (port: number, host = '127.0.0.1'): Promise<SilentProxy> => {
  const sockets = new Set<Socket>();
  let hush = new AbortController();
  let isSilent = false;
  const kept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    kept(client);
    if (isSilent) return void client.resume();
    const { signal } = hush;
    const upstream = kept(connect(port, host));
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (data) => void (signal.aborted || to.write(data)));
      from.on('close', () => void (signal.aborted || to.destroy()));
      from.on('end', () => void (signal.aborted || to.end()));
    };
    pass(client, upstream);
    pass(upstream, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a port was expected');
  return {
    port: address.port,
    fallSilent: () => {
      isSilent = true;
      hush.abort();
    },
    recover: () => {
      isSilent = false;
      hush = new AbortController();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
