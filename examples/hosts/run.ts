import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { clientCertificates, type Handling } from '../../adapters/http/node.ts';
import { portTrouble } from '../../server/listen.ts';
import { start } from '../../server/start.ts';

/**
 * Serves an application that has a controller in it, with the options, store, certificates and end of `npm start`: what the examples of hosts have in
 * common, so that each shows only what is its own.
 */
export const run = (application: (controller: Handling) => RequestListener | Promise<RequestListener>): Promise<void> =>
  start(async ({ controller, host, port, certificate }) => {
    const listener = await application(controller);
    const server = certificate ? https.createServer({ ...clientCertificates, ...certificate.pair }, listener) : http.createServer(listener);
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(portTrouble(host, port, error)));
      server.listen(port, host, resolve);
    });
    return {
      port: (server.address() as AddressInfo).port, // a TCP server that listens has one
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
