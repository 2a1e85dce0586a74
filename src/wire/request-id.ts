import { BASE_62 } from './base62.ts';

/** 1 to 128 visible ASCII characters: control characters would break lines of logs. */
export const REQUEST_ID = /^[!-~]{1,128}$/;

/** True if a request id from a client or a host is safe in logs, records and answers. */
export const isRequestId = (value: unknown): value is string => typeof value === 'string' && REQUEST_ID.test(value);

/** Creates an id for a request without one. */
export const newRequestId = (): string => {
  const random = crypto.randomUUID();
  return random.slice(0, 8) + random.slice(9, 11);
};

const LENGTH = 10;

/**
 * Creates request ids: ten characters of `0-9A-Za-z`. Random bytes are fetched in bulk, because ten of them cost as much as a thousand. The ids only
 * have to be unique, so the slight bias from the remainder does not matter.
 */
export const requestIds = (random: { bytes(length: number): Uint8Array }): (() => string) => {
  let pool = new Uint8Array(0);
  let offset = 0;
  return () => {
    if (offset + LENGTH > pool.length) {
      pool = new Uint8Array(random.bytes(LENGTH * 100));
      offset = 0;
    }
    let id = '';
    for (const end = offset + LENGTH; offset < end; offset++) id += BASE_62[(pool[offset] ?? 0) % BASE_62.length];
    return id;
  };
};
