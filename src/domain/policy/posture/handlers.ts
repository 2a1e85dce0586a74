import { servicePolicy } from '../../../api/policies.ts';
import { postureChecks } from '../../../api/posture-check-operations.ts';
import { postureCheckType, postureCheckTypes } from '../../../api/posture-check-types.ts';
import { postureCheck } from '../../../api/posture-checks/index.ts';
import { implement } from '../../../call/implement.ts';
import { crudHandlers } from '../../../resources/crud.ts';
import { relatedList } from '../../../resources/related.ts';
import { selecting } from '../roles/membership.ts';

export const postureEntries = [
  ...implement(postureChecks, {
    ...crudHandlers(postureChecks, postureCheck),
    listServicePolicies: relatedList(postureCheck, servicePolicy, (_, row) => selecting('postureCheckRoles', row)),
  }),
  ...implement(postureCheckTypes, crudHandlers(postureCheckTypes, postureCheckType)),
];
