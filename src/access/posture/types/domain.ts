import type { CheckType } from '../check-type.ts';
import type { PostureCheckOf } from '../facts.ts';
import { withListedVersions } from '../operating-systems.ts';

/** The reported domain must be listed. The comparison ignores case. */
export const domainCheck: CheckType<PostureCheckOf<'DOMAIN'>> = {
  name: 'Windows Domain Check',
  operatingSystems: withListedVersions('Windows'),
  evaluate: ({ domains }, facts) => {
    const reported = facts.domain?.domain ?? '';
    return {
      isPassing: reported !== '' && domains.some((each) => each.toLowerCase() === reported.toLowerCase()),
      expectedValue: domains,
      actualValue: reported,
    };
  },
};
