import type { CheckType } from './check-type.ts';
import type { PostureCheckOf } from './facts.ts';

/** One of the addresses that the endpoint told must be listed. */
export const mac: CheckType<PostureCheckOf<'MAC'>> = {
  evaluate: ({ macAddresses }, facts) => {
    const told = facts.mac?.addresses ?? [];
    return {
      isPassing: told.some((address) => address && macAddresses.includes(address)),
      expectedValue: macAddresses,
      actualValue: told,
    };
  },
};
