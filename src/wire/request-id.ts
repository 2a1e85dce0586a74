/** 1 to 128 visible ASCII characters: control characters would break lines of logs. */
export const REQUEST_ID = /^[!-~]{1,128}$/;

/** Whether a request id of a client or a host can stand in logs, records and answers as it is. */
export const isRequestId = (value: unknown): value is string => typeof value === 'string' && REQUEST_ID.test(value);

/** A request id for a request that brings none. */
export const newRequestId = (): string => {
  const random = crypto.randomUUID();
  return random.slice(0, 8) + random.slice(9, 11);
};
