/** The header of a challenge (RFC 9110, 11.6.1). A call that sets it sends it with every status. */
export const CHALLENGE = 'www-authenticate';

/** The challenge for the session token. Without the parameter `error`, it does not say that the token is invalid. */
export const SESSION_CHALLENGE = 'zt-session realm="zt-session"';
