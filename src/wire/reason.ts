/** The form of the reason of a change. Control characters would break log lines. */
export const REASON = /^[^\p{Cc}\p{Cs}]{1,1000}$/u;
