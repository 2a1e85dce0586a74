import type { CheckType } from '../check-type.ts';
import type { PostureCheckOf } from '../facts.ts';
import { withListedVersions } from '../operating-systems.ts';

/** At least one of the reported addresses must be listed. */
export const macCheck: CheckType<PostureCheckOf<'MAC'>> = {
  name: 'MAC Address Check',
  operatingSystems: withListedVersions('Android', 'Linux', 'Windows', 'macOS'),
  evaluate: ({ macAddresses }, facts) => {
    const reported = facts.mac?.addresses ?? [];
    return {
      isPassing: reported.some((address) => address && macAddresses.includes(address)),
      expectedValue: macAddresses,
      actualValue: reported,
    };
  },
};
