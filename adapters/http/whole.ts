import { abandon, type CoreAnswer } from '../../src/adapter-kit.ts';

/** A body that is there, unlike one that is sent as it is made. */
export type WholeBody = string | Uint8Array;

export const isWhole = (body: CoreAnswer['body']): body is WholeBody => typeof body === 'string' || body instanceof Uint8Array;

/** Gives up a body that is not sent. */
export const abandonBody = (body: CoreAnswer['body']): void => {
  if (!isWhole(body)) abandon(body[Symbol.asyncIterator]());
};

/** Whether answers of a status have no body, and say nothing of its length (RFC 9110, 8.6). */
export const isBodiless = (status: number): boolean => status === 204 || status === 304;
