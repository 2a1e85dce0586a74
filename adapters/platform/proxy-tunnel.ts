import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { connect, isIP, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectByTls } from 'node:tls';
import type { HttpProxy } from './proxies.ts';

/** Thrown if a proxy does not connect to a destination. */
export class TunnelRefused extends Error {
  override readonly name = 'TunnelRefused';
  /** Another destination may be reached. */
  readonly isOfDestination: boolean;

  constructor(message: string, isOfDestination: boolean) {
    super(message);
    this.isOfDestination = isOfDestination;
  }
}

/**
 * Opens a tunnel through a proxy (RFC 9110, 9.3.6). Nothing that the proxy itself says is taken for what the destination says: its answer has at most the
 * size that Node permits for headers, its body is not read, and a tunnel in which something arrives before anything was sent is closed.
 * @throws TunnelRefused if the proxy refuses the tunnel, or does not answer as a proxy; the reason of `signal` when it aborts
 */
export const openTunnel = (proxy: HttpProxy, host: string, port: number, signal: AbortSignal): Promise<Duplex> => {
  const destination = hostAndPort(host, port);
  const name = `the proxy ${hostAndPort(proxy.host, proxy.port)}`;
  const address = { host: proxy.host, port: proxy.port, ...(isIP(proxy.host) === 0 ? { servername: proxy.host } : {}) };
  return new Promise((resolve, reject) => {
    const request = proxy.isSecure ? requestByHttps : requestByHttp;
    request({
      method: 'CONNECT',
      path: destination,
      headers: { host: destination, ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }) },
      // Without an agent, which may use a proxy itself.
      createConnection: () => (proxy.isSecure ? connectByTls({ ...address, ALPNProtocols: ['http/1.1'] }) : connect(address)),
      signal,
    })
      .once('connect', ({ statusCode = 0 }, socket, head) => {
        const isOpen = statusCode >= 200 && statusCode <= 299;
        if (isOpen && head.length === 0) return resolve(socket);
        socket.destroy();
        if (isOpen) reject(new TunnelRefused(`${name} sent data into the tunnel`, false));
        else if (statusCode === 407)
          reject(new TunnelRefused(`${name} does not accept the credentials in its address, or their absence`, false));
        else reject(new TunnelRefused(`${name} opens no tunnel to ${destination}: status ${statusCode}`, true));
      })
      .once('response', (answer) => {
        // Of a CONNECT, only a runtime other than Node emits it.
        answer.destroy();
        reject(new TunnelRefused(`${name} opens no tunnel to ${destination}`, false));
      })
      // The error of a malformed answer holds the answer, which is not passed on.
      .once('error', (error) =>
        reject(signal.aborted ? signal.reason : new TunnelRefused(`${name} cannot be used: ${error.message}`, false)),
      )
      .end();
  });
};

const hostAndPort = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;
