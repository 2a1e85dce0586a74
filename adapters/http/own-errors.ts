/** The handling of API errors in the host's own routes, shared by all HTTP adapters. */
import type { AnswerOptions, ApiError } from '../../src/index.ts';
import { webRequestId } from './request-id.ts';

/** Recognises the class by name, because a bundle may contain another copy of it. */
export const isApiError = (error: unknown): error is ApiError =>
  error instanceof Error && error.name === 'ApiError' && 'toAnswer' in error && typeof error.toAnswer === 'function';

/** Options of the error handlers for the host's own routes. */
export type RefusalOptions = Pick<AnswerOptions, 'refusalStatus'>;

/** Headers that a route may have set for its own body (RFC 9110, 8). They are removed, because they do not apply to the error. */
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

/** A handler of web-standard requests. `more` contains the arguments that the host passes after the request. */
export type WebHandler<More extends readonly unknown[]> = (request: Request, ...more: More) => Response | Promise<Response>;

/** Wraps a handler to answer the API errors that it throws. Other errors are rethrown. */
export const answeringErrors =
  <More extends readonly unknown[]>(
    handler: WebHandler<More>,
    options?: RefusalOptions,
  ): ((request: Request, ...more: More) => Promise<Response>) =>
  async (request, ...more) => {
    try {
      return await handler(request, ...more);
    } catch (error) {
      if (!isApiError(error)) throw error;
      const { status, headers, body } = error.toAnswer({ ...options, requestId: webRequestId(request) });
      return new Response(request.method === 'HEAD' ? null : body, { status, headers });
    }
  };
