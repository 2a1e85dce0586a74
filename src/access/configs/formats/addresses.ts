/**
 * Addresses of hosts (RFC 1123, section 2.1; RFC 4291, section 2.2) and of mail (RFC 5321, section 4.1.2, without quoted and literal
 * forms).
 */

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** A trailing full stop denotes the DNS root. */
export const isHostname = (text: string): boolean => {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  return name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
};

const ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+$/i;
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

export const isEmail = (text: string): boolean => {
  const [local = '', domain, ...others] = text.split('@');
  if (domain === undefined || others.length > 0) return false;
  const labels = domain.split('.');
  return local.split('.').every((atom) => ATOM.test(atom)) && labels.length > 1 && labels.every((label) => DOMAIN_LABEL.test(label));
};

const BYTE = /^(?:0|[1-9]\d{0,2})$/;

export const isIpv4 = (text: string): boolean => {
  const bytes = text.split('.');
  return bytes.length === 4 && bytes.every((byte) => BYTE.test(byte) && Number(byte) < 256);
};

const GROUP = /^[0-9a-f]{1,4}$/i;

/** Eight groups, or fewer with one `::` in place of the others; the last two may be an IPv4 address. */
export const isIpv6 = (text: string, isLast: (ipv4: string) => boolean = isIpv4): boolean => {
  const [head = '', tail, ...others] = text.split('::');
  if (others.length > 0) return false;
  const groups = [head, tail ?? ''].flatMap((part) => (part === '' ? [] : part.split(':')));
  const last = groups.at(-1) ?? '';
  // An address that ends in `::` has no last group that could be an IPv4 address.
  const endsInIpv4 = tail !== '' && last.includes('.');
  const count = groups.length + (endsInIpv4 ? 1 : 0);
  if (tail === undefined ? count !== 8 : count > 7) return false;
  return (endsInIpv4 ? groups.slice(0, -1) : groups).every((group) => GROUP.test(group)) && (!endsInIpv4 || isLast(last));
};
