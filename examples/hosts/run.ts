import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { clientCertificates, type Handling, refuseConnection } from '../../adapters/http/node.ts';
import { toPortFailure } from '../../server/listen.ts';
import { start } from '../../server/start.ts';

/**
 * Serves an application that embeds a controller, with the options, store, certificates and shutdown of `npm start`. The host examples
 * share this code, so that each shows only what is specific to its framework.
 */
export const run = (application: (controller: Handling) => RequestListener | Promise<RequestListener>): Promise<void> =>
  start(async ({ controller, host, port, certificate }) => {
    const listener = await application(controller);
    const server = certificate ? https.createServer({ ...clientCertificates, ...certificate.pair }, listener) : http.createServer(listener);
    server.on('clientError', refuseConnection);
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(toPortFailure(host, port, error)));
      server.listen(port, host, resolve);
    });
    return {
      port: (server.address() as AddressInfo).port, // a listening TCP server has an address
      close: (drainMs = 10_000) =>
        new Promise((resolve) => {
          const drain = setTimeout(() => server.closeAllConnections(), drainMs);
          server.close(() => {
            clearTimeout(drain);
            resolve();
          });
          server.closeIdleConnections();
        }),
    };
  });
