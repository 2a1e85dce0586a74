import { list } from '../../kit/bounded.ts';
import { required } from '../../kit/field.ts';
import { sortedSet } from '../../kit/sets.ts';
import { variant } from '../../kit/variants.ts';
import { shortText } from '../../shared.ts';

/** The endpoint must have joined one of these Windows domains. Their case is kept and does not count. */
export const domainVariant = variant('Domain', {
  /** Names of domains. */
  domains: required(list(shortText, 1000).min(1).transform(sortedSet)),
});
