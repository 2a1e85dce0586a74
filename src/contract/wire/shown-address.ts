/**
 * Redacts an address for messages: replaces user name and password, and everything after `?` or `#`, which may contain a token. Also works
 * for invalid addresses, because the password in a mistyped address is a secret, too.
 */
export const shownAddress = (address: string): string =>
  address.replace(/^([A-Za-z][\w+.-]*:\/\/)?.*@/s, '$1***@').replace(/([?#]).*$/s, '$1***');
