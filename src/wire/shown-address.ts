/**
 * An address as messages may show it: without a name and a password, and without what follows `?` or `#`, which may hold a token. It need not be a valid
 * one: the password of a mistyped address is a secret, too.
 */
export const shownAddress = (address: string): string =>
  address.replace(/^([A-Za-z][\w+.-]*:\/\/)?.*@/s, '$1***@').replace(/([?#]).*$/s, '$1***');
