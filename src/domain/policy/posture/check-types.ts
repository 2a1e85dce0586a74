import type { CheckType } from './check-type.ts';
import type { PostureCheckOf, StoredPostureCheck } from './facts.ts';
import { domainCheck } from './types/domain.ts';
import { macCheck } from './types/mac.ts';
import { mfaCheck } from './types/mfa.ts';
import { osCheck } from './types/os.ts';
import { processCheck } from './types/process.ts';
import { processMultiCheck } from './types/process-multi.ts';

/** The types of posture checks: a row for each that the contract declares, or this does not compile. Nothing else names a type. */
const checkTypes: { readonly [T in StoredPostureCheck['typeId']]: CheckType<PostureCheckOf<T>> } = {
  DOMAIN: domainCheck,
  MAC: macCheck,
  MFA: mfaCheck,
  OS: osCheck,
  PROCESS: processCheck,
  PROCESS_MULTI: processMultiCheck,
};

export const checkTypeOf = ({ typeId }: StoredPostureCheck): CheckType<StoredPostureCheck> =>
  checkTypes[typeId] as CheckType<StoredPostureCheck>; // is given only checks of its own type

/** The rows of `posture-check-types`, the same in every network. */
export const builtInPostureCheckTypes = Object.entries(checkTypes).map(([id, { name, operatingSystems }]) => ({
  id,
  name,
  operatingSystems,
}));
