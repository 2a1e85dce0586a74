/** The request header with the reason for a change. */
export const CHANGE_REASON = 'x-change-reason';

/** The format of a reason: 1 to 1,000 characters, without control characters, which would break log lines. */
export const REASON = /^[^\p{Cc}\p{Cs}]{1,1000}$/u;
