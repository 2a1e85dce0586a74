/**
 * The adapter for runtimes with web-standard requests.
 * @module overlay-controller/http/fetch
 */
import type { Handling } from './handling.ts';
import { answeringErrors, type RefusalOptions, type WebHandler } from './own-errors.ts';
import { type WebConnection, type WebOptions, webBridge } from './web-bridge.ts';

export { peerCertificates } from '../tls/peer-certificates.ts';
export type { Handling } from './handling.ts';
export type { WebHandler } from './own-errors.ts';
export type { WebConnection, WebOptions } from './web-bridge.ts';

/** Answers a web-standard request. `connection` contains details of the client that the request lacks. The promise never rejects. */
export type FetchHandler = (request: Request, connection?: WebConnection) => Promise<Response>;

/**
 * Creates a handler for runtimes with web-standard requests: Bun, Deno, workers.
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

/**
 * Wraps one of the host's own handlers. If it throws an `ApiError`, answers as the controller would: with the error's status, the envelope,
 * `Retry-After`, and headers that prevent caching and MIME sniffing. The promise rejects with any other error.
 *
 * ```ts
 * Deno.serve(fetchErrorHandler(async (request) => Response.json(await people(request))));
 * ```
 */
export const fetchErrorHandler: <More extends readonly unknown[]>(
  handler: WebHandler<More>,
  options?: RefusalOptions,
) => (request: Request, ...more: More) => Promise<Response> = answeringErrors;
