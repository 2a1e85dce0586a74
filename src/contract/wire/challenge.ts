/** The header with a challenge (RFC 9110, 11.6.1). If a call sets it, it is sent with any status. */
export const CHALLENGE = 'www-authenticate';

/** The challenge for a session token. Without the parameter `error`, it does not declare the token invalid. */
export const SESSION_CHALLENGE = 'zt-session realm="zt-session"';
