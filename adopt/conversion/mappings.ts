import { configMapping, configTypeMapping, serviceMapping, terminatorMapping } from './kinds/catalogue.ts';
import { authenticatorMapping, enrollmentMapping, mfaMapping } from './kinds/credentials.ts';
import { identityMapping } from './kinds/identities.ts';
import { edgeRouterPolicyMapping, postureCheckMapping, serviceEdgeRouterPolicyMapping, servicePolicyMapping } from './kinds/policies.ts';
import { routerMapping } from './kinds/routers.ts';
import { authPolicyMapping, caMapping, jwtSignerMapping } from './kinds/trust.ts';
import type { Mapping } from './mapping.ts';

/** The mappings of all former kinds, in the order in which they are inserted. */
export const mappings = [
  authPolicyMapping,
  caMapping,
  jwtSignerMapping,
  configTypeMapping,
  configMapping,
  serviceMapping,
  postureCheckMapping,
  routerMapping,
  identityMapping,
  authenticatorMapping,
  mfaMapping,
  enrollmentMapping,
  servicePolicyMapping,
  edgeRouterPolicyMapping,
  serviceEdgeRouterPolicyMapping,
  terminatorMapping,
] as readonly Mapping[]; // each is called with entities of its own kind only
