import { authenticator } from './authenticators.ts';
import { config, configType } from './configs.ts';
import { enrollment } from './enrollments.ts';
import { identity } from './identities.ts';
import { manyToMany, manyToOne, selects, through } from './kit/relation.ts';
import { edgeRouterPolicy, serviceEdgeRouterPolicy, servicePolicy } from './policies.ts';
import { postureCheck } from './posture-checks/index.ts';
import { edgeRouter } from './routers.ts';
import { policyTypeQuery, service } from './services.ts';
import { surfaces } from './surfaces/index.ts';
import { terminator } from './terminators.ts';

/** The one list of relations between kinds: a row is a relation, from which the lists of both sides follow, with the operations and handlers of these. */
export const relations = [
  manyToOne(authenticator, 'identityId', identity, { operationIds: { listAuthenticators: 'getIdentityAuthenticators' } }),
  manyToOne(enrollment, 'identityId', identity, { operationIds: { listEnrollments: 'getIdentityEnrollments' } }),
  manyToOne(terminator, 'serviceId', service),
  manyToOne(config, 'configTypeId', configType, { operationIds: { listConfigs: 'listConfigsForConfigType' } }),

  manyToMany(service, 'configs', config, { operationIds: { listConfigs: 'listServiceConfig' } }),

  selects(servicePolicy, 'identityRoles', identity),
  selects(servicePolicy, 'serviceRoles', service),
  selects(servicePolicy, 'postureCheckRoles', postureCheck, { surfaces: { listServicePolicies: [surfaces.extensions] } }),
  selects(edgeRouterPolicy, 'identityRoles', identity, { operationIds: { listEdgeRouterPolicies: 'listIdentitysEdgeRouterPolicies' } }),
  selects(edgeRouterPolicy, 'edgeRouterRoles', edgeRouter),
  selects(serviceEdgeRouterPolicy, 'edgeRouterRoles', edgeRouter),
  selects(serviceEdgeRouterPolicy, 'serviceRoles', service),

  through(identity, servicePolicy, service, { query: policyTypeQuery }),
  through(identity, edgeRouterPolicy, edgeRouter),
  through(service, serviceEdgeRouterPolicy, edgeRouter),
] as const;

/** The lists that entities have of others that they are related to. */
export const relatedLists = relations.flat();
