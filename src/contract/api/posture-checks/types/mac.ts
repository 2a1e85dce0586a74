import { sortedSet } from '../../../../query/order.ts';
import { list, required, textUpTo, variant } from '../../kit/index.ts';
import { hexDigits } from '../hex.ts';

/** MAC addresses, stored as hex digits in lower case. */
const addresses = list(
  textUpTo(256).refine((address) => hexDigits(address) !== '', { error: 'must contain hexadecimal digits, such as 00:1a:2b:3c:4d:5e' }),
  10_000,
)
  .min(1)
  .transform((values) => sortedSet(values.map(hexDigits)));

/** The endpoint must have one of the listed hardware addresses. */
export const macVariant = variant('MacAddress', {
  /** MAC addresses; only their hex digits are compared. */
  macAddresses: required(addresses),
});
