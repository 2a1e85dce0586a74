import { BASE_62 } from './base62.ts';

/** The format of request ids: 1 to 128 visible ASCII characters, because control characters would break log lines. */
export const REQUEST_ID = /^[!-~]{1,128}$/;

/** True if a request id from a client or a host can be used in logs, records and answers. */
export const isRequestId = (value: unknown): value is string => typeof value === 'string' && REQUEST_ID.test(value);

/** Creates a request id of ten hex digits. */
export const newRequestId = (): string => {
  const random = crypto.randomUUID();
  return random.slice(0, 8) + random.slice(9, 11);
};

/** Length of a request id, in characters. */
const LENGTH = 10;

/**
 * Returns a generator of request ids of ten characters from `0-9A-Za-z`. It generates a hundred at once, because ten random bytes cost as
 * much as a thousand. The ids only have to be unique, so the slight bias of the modulo does not matter.
 */
export const requestIds = (random: { bytes(length: number): Uint8Array }): (() => string) => {
  let pool = '';
  let offset = 0;
  return () => {
    if (offset === pool.length) {
      pool = Array.from(random.bytes(LENGTH * 100), (byte) => BASE_62[byte % BASE_62.length]).join('');
      offset = 0;
    }
    offset += LENGTH;
    return pool.slice(offset - LENGTH, offset);
  };
};
