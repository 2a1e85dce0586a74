import { abandon, type CoreAnswer } from '../../src/adapter-kit.ts';

/** A complete body, as opposed to a stream. */
export type WholeBody = string | Uint8Array;

export const isWhole = (body: CoreAnswer['body']): body is WholeBody => typeof body === 'string' || body instanceof Uint8Array;

/** Ends a stream that is not sent. */
export const abandonBody = (body: CoreAnswer['body']): void => {
  if (!isWhole(body)) abandon(body[Symbol.asyncIterator]());
};

/** True if answers with this status have neither a body nor a length (RFC 9110, 8.6). */
export const isBodiless = (status: number): boolean => status === 204 || status === 304;
