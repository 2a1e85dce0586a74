/** Errors of the API that routes of the host's own have thrown: what all HTTP adapters make of them. */
import type { ApiError } from '../../src/index.ts';
import { requestIdOf } from './request-id.ts';

/** Also an error of another copy of this package, as bundlers make them: so its class is not asked for. */
export const isApiError = (error: unknown): error is ApiError =>
  error instanceof Error && error.name === 'ApiError' && 'toAnswer' in error && typeof error.toAnswer === 'function';

/** What the route may have said of the answer that it did not give, and what is not true of this one (RFC 9110, 8). */
export const REPRESENTATION_HEADERS = [
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'etag',
  'expires',
  'last-modified',
  'transfer-encoding',
] as const;

/** A handler of web-standard requests. `more` is what the host hands in beside the request. */
export type WebHandler<More extends readonly unknown[]> = (request: Request, ...more: More) => Response | Promise<Response>;

/** The same handler, whose errors of the API are answers. All else that it throws is thrown on. */
export const answeringErrors =
  <More extends readonly unknown[]>(handler: WebHandler<More>): ((request: Request, ...more: More) => Promise<Response>) =>
  async (request, ...more) => {
    try {
      return await handler(request, ...more);
    } catch (error) {
      if (!isApiError(error)) throw error;
      const { status, headers, body } = error.toAnswer({ requestId: requestIdOf(undefined, request.headers.get('x-request-id')) });
      return new Response(request.method === 'HEAD' ? null : body, { status, headers });
    }
  };
