/** Characters of a name that authenticator apps are given: with an issuer of 40, whatever the script, the URL fits in a QR code. */
const ACCOUNT_LENGTH = 100;

/** What an authenticator app reads from a QR code ("Key Uri Format" of Google Authenticator, which all apps know). */
export const provisioningUrl = (issuer: string, account: string, secret: string): string => {
  const by = encodeURIComponent(issuer);
  const label = encodeURIComponent([...account].slice(0, ACCOUNT_LENGTH).join(''));
  return `otpauth://totp/${by}:${label}?issuer=${by}&secret=${secret}`;
};
