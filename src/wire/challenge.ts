/** The challenge of every 401 (RFC 9110, 11.6.1). Without the parameter `error`, it does not say that the session token is invalid. */
export const SESSION_CHALLENGE = 'zt-session realm="zt-session"';
