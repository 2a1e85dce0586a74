/** Most characters of a name in a provisioning URL: with an issuer of 40, in any script, the URL fits in a QR code. */
const ACCOUNT_LENGTH = 100;

/** The provisioning URL of an authenticator app ("Key Uri Format" of Google Authenticator, which all apps support). */
export const provisioningUrl = (issuer: string, account: string, secret: string): string => {
  const by = encodeURIComponent(issuer);
  const label = encodeURIComponent([...account].slice(0, ACCOUNT_LENGTH).join(''));
  return `otpauth://totp/${by}:${label}?issuer=${by}&secret=${secret}`;
};
