import { BlockList, isIP } from 'node:net';
import { hostIn, portIn } from './destination.ts';

/** Returns true for addresses that are asked directly. */
export type Exempt = (url: URL) => boolean;

/**
 * Reads the variable `NO_PROXY`, as curl and Go do: entries with commas or spaces between them, each a name (`corp.example` or `.corp.example`), which stands for
 * the name and all names below it, an address, a range (`10.0.0.0/8`), or `*` for everything. A port may follow a name or an address. Other text exempts nothing.
 * Ranges and addresses apply to addresses in the URL, not to those that a name resolves to.
 */
export const readNoProxy = (text: string): Exempt => {
  const rules = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(ruleOf);
  return (url) => rules.some((exempts) => exempts(hostIn(url), portIn(url)));
};

type Rule = (host: string, port: number) => boolean;

const ruleOf = (entry: string): Rule => {
  if (entry === '*') return () => true;
  const [, bracketed, plain, digits] = /^(?:\[(.+)\]|(.+?))(?::(\d+))?$/.exec(isIP(entry) === 0 ? entry : `[${entry}]`) ?? [];
  const pattern = bracketed ?? plain ?? '';
  const isExempt = pattern.includes('/') || isIP(pattern) !== 0 ? inRange(pattern) : belowName(pattern);
  return (host, port) => (digits === undefined || Number(digits) === port) && isExempt(host);
};

const belowName = (pattern: string): ((host: string) => boolean) => {
  const name = pattern
    .toLowerCase()
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
  return (host) => host === name || host.endsWith(`.${name}`);
};

const inRange = (text: string): ((host: string) => boolean) => {
  const list = new BlockList();
  const [address = '', bits] = text.split('/');
  const family = familyOf(address);
  try {
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  } catch {
    return () => false;
  }
  return (host) => isIP(host) !== 0 && list.check(host, familyOf(host));
};

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
