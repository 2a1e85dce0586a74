/** Errors of the API that routes of the host's own have thrown: what all HTTP adapters make of them. */
import type { ApiError } from '../../src/index.ts';
import { webRequestId } from './request-id.ts';

/** Recognised by name, because a bundle may hold another copy of the class. */
export const isApiError = (error: unknown): error is ApiError =>
  error instanceof Error && error.name === 'ApiError' && 'toAnswer' in error && typeof error.toAnswer === 'function';

/** Headers that describe the body that the route did not send (RFC 9110, 8): they are false for the error. */
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
      const { status, headers, body } = error.toAnswer({ requestId: webRequestId(request) });
      return new Response(request.method === 'HEAD' ? null : body, { status, headers });
    }
  };
