/**
 * For runtimes with web-standard requests.
 * @module overlay-controller/http/fetch
 */
import type { Handling } from './handling.ts';
import { type WebConnection, type WebOptions, webBridge } from './web-bridge.ts';

export type { Handling } from './handling.ts';
export { peerCertificates } from './peer-certificates.ts';
export type { WebConnection, WebOptions } from './web-bridge.ts';

/** Answers a web-standard request. `connection` has the facts about the client that the request lacks. Never rejects. */
export type FetchHandler = (request: Request, connection?: WebConnection) => Promise<Response>;

/**
 * For runtimes with web-standard requests: Bun, Deno, workers.
 *
 * ```ts
 * const handler = fetchHandler(controller);
 * Deno.serve((request, { remoteAddr }) => handler(request, { remoteAddress: remoteAddr.hostname }));
 * ```
 */
export const fetchHandler = (controller: Handling, options?: WebOptions): FetchHandler => {
  const answer = webBridge(controller, options);
  return (request, connection) => answer(request, connection);
};
