import { authenticator } from './authenticators.ts';
import { config, configType } from './configs.ts';
import { enrollment } from './enrollments.ts';
import { identity } from './identities.ts';
import { manyToMany, manyToOne, selectsByRole, through } from './kit/index.ts';
import { edgeRouterPolicy, serviceEdgeRouterPolicy, servicePolicy } from './policies.ts';
import { postureCheck } from './posture-checks/index.ts';
import { edgeRouter } from './routers.ts';
import { policyTypeQuery, service } from './services.ts';
import { surfaces } from './surfaces/index.ts';
import { terminator } from './terminators.ts';

/** All relations between kinds. Related lists, their operations and their handlers are derived from these rows. */
const relations = [
  manyToOne(authenticator, 'identityId', identity, { operationIds: { listAuthenticators: 'getIdentityAuthenticators' } }),
  manyToOne(enrollment, 'identityId', identity, { operationIds: { listEnrollments: 'getIdentityEnrollments' } }),
  manyToOne(terminator, 'serviceId', service),
  manyToOne(config, 'configTypeId', configType, { operationIds: { listConfigs: 'listConfigsForConfigType' } }),

  manyToMany(service, 'configs', config, { operationIds: { listConfigs: 'listServiceConfig' } }),

  selectsByRole(servicePolicy, 'identityRoles', identity),
  selectsByRole(servicePolicy, 'serviceRoles', service),
  selectsByRole(servicePolicy, 'postureCheckRoles', postureCheck, { surfaces: { listServicePolicies: [surfaces.extensions] } }),
  selectsByRole(edgeRouterPolicy, 'identityRoles', identity, {
    operationIds: { listEdgeRouterPolicies: 'listIdentitysEdgeRouterPolicies' },
  }),
  selectsByRole(edgeRouterPolicy, 'edgeRouterRoles', edgeRouter),
  selectsByRole(serviceEdgeRouterPolicy, 'edgeRouterRoles', edgeRouter),
  selectsByRole(serviceEdgeRouterPolicy, 'serviceRoles', service),

  through(identity, servicePolicy, service, { query: policyTypeQuery }),
  through(identity, edgeRouterPolicy, edgeRouter),
  through(service, serviceEdgeRouterPolicy, edgeRouter),
] as const;

/** The related lists of all kinds. */
export const relatedLists = relations.flat();
