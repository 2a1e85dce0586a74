import { crud } from './kit/crud.ts';
import { group } from './kit/operation.ts';
import { related } from './kit/related.ts';
import { servicePolicy } from './policies.ts';
import { postureCheck } from './posture-checks/index.ts';
import { surfaces } from './surfaces/index.ts';

export const postureChecks = group('postureChecks', 'Posture checks', {
  ...crud(postureCheck, { denied: { delete: 403 } }),
  listServicePolicies: related(postureCheck, servicePolicy, {
    operationId: 'listPostureCheckServicePolicies',
    surfaces: [surfaces.extensions],
  }),
});
