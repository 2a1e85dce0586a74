/**
 * A controller that answers web-standard requests: `node examples/fetch.ts`, with the options of `npm start`. Other runtimes have a
 * built-in server:
 *
 *     Deno.serve((request, { remoteAddr }) => handler(request, { remoteAddress: remoteAddr.hostname }));
 *     Bun.serve({ fetch: (request, server) => handler(request, { remoteAddress: server.requestIP(request)?.address }) });
 */
import { fetchHandler, peerCertificates } from '../adapters/http/fetch.ts';
import { run } from './hosts/run.ts';
import { webListener } from './hosts/web.ts';

await run((controller) => {
  const handler = fetchHandler(controller);
  return webListener((request, { incoming: { socket } }) =>
    new URL(request.url).pathname === '/health'
      ? new Response('ok')
      : handler(request, { peerCertificates: peerCertificates(socket), remoteAddress: socket.remoteAddress }),
  );
});
