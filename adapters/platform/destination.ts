/** The host of a URL: a name in lower case without a trailing dot, or an address without brackets. */
export const hostIn = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

/** The port of an http or https URL. */
export const portIn = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));
