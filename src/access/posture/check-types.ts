import type { CheckType } from './check-type.ts';
import type { StoredPostureCheck } from './facts.ts';
import { checkTypeRows } from './types.ts';

export const checkTypeOf = ({ typeId }: StoredPostureCheck): CheckType<StoredPostureCheck> =>
  checkTypeRows[typeId] as CheckType<StoredPostureCheck>; // receives only checks of its type

/** The rows of `posture-check-types`, the same in every network. */
export const builtInPostureCheckTypes = Object.entries(checkTypeRows).map(([id, { name, operatingSystems }]) => ({
  id,
  name,
  operatingSystems,
}));
