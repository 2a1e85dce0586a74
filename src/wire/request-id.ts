/** 1 to 128 visible ASCII characters: control characters would break lines of logs. */
export const REQUEST_ID = /^[!-~]{1,128}$/;

/** True if a request id from a client or a host is safe in logs, records and answers. */
export const isRequestId = (value: unknown): value is string => typeof value === 'string' && REQUEST_ID.test(value);

/** A request id for a request that brings none. */
export const newRequestId = (): string => {
  const random = crypto.randomUUID();
  return random.slice(0, 8) + random.slice(9, 11);
};
