import { servicePolicy } from '../../api/policies.ts';
import { postureChecks } from '../../api/posture-check-operations.ts';
import { postureCheckType, postureCheckTypes } from '../../api/posture-check-types.ts';
import { postureCheck } from '../../api/posture-checks/index.ts';
import { postureResponses } from '../../api/posture-responses.ts';
import { implement } from '../../call/implement.ts';
import { behaviour } from '../../resources/behaviours.ts';
import { crudHandlers } from '../../resources/crud.ts';
import { relatedList } from '../../resources/related.ts';
import { servicePolicyBehaviour } from '../policies/behaviour.ts';
import { selecting } from '../roles/membership.ts';
import { postureCheckBehaviour } from './behaviour.ts';
import { tell } from './tell.ts';

const postureCheckTypeBehaviour = behaviour(postureCheckType, { present: async (_, rows) => rows.map(() => ({ version: '1' })) });

export const postureEntries = [
  ...implement(postureChecks, {
    ...crudHandlers(postureChecks, postureCheck, postureCheckBehaviour),
    listServicePolicies: relatedList(postureCheck, servicePolicy, servicePolicyBehaviour, (_, row) => selecting('postureCheckRoles', row)),
  }),
  ...implement(postureCheckTypes, crudHandlers(postureCheckTypes, postureCheckType, postureCheckTypeBehaviour)),
  ...implement(postureResponses, {
    create: (call, { body }) => tell(call, [body]),
    createBulk: (call, { body }) => tell(call, body),
  }),
];
