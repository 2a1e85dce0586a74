import type { CheckType } from '../check-type.ts';
import type { PostureCheckOf } from '../facts.ts';
import { on } from '../operating-systems.ts';

/** One of the addresses that the endpoint reported must be listed. */
export const macCheck: CheckType<PostureCheckOf<'MAC'>> = {
  name: 'MAC Address Check',
  operatingSystems: on('Android', 'Linux', 'Windows', 'macOS'),
  evaluate: ({ macAddresses }, facts) => {
    const reported = facts.mac?.addresses ?? [];
    return {
      isPassing: reported.some((address) => address && macAddresses.includes(address)),
      expectedValue: macAddresses,
      actualValue: reported,
    };
  },
};
