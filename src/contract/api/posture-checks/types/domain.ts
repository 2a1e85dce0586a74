import { sortedSet } from '../../../../query/order.ts';
import { list, required, variant } from '../../kit/index.ts';
import { shortText } from '../../shared.ts';

/** The endpoint must have joined one of these Windows domains. Case is preserved, but ignored in comparisons. */
export const domainVariant = variant('Domain', {
  /** Names of the accepted Windows domains. */
  domains: required(list(shortText, 1000).min(1).transform(sortedSet)),
});
