import type { CheckType } from '../check-type.ts';
import type { PostureCheckOf } from '../facts.ts';
import { on } from '../operating-systems.ts';

/** The domain that the endpoint told must be listed. Case does not count. */
export const domainCheck: CheckType<PostureCheckOf<'DOMAIN'>> = {
  name: 'Windows Domain Check',
  operatingSystems: on('Windows'),
  evaluate: ({ domains }, facts) => {
    const told = facts.domain?.domain ?? '';
    return {
      isPassing: told !== '' && domains.some((each) => each.toLowerCase() === told.toLowerCase()),
      expectedValue: domains,
      actualValue: told,
    };
  },
};
