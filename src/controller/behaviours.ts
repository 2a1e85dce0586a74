import { configBehaviour, configTypeBehaviour } from '../access/configs/behaviour.ts';
import { servicePolicyBehaviour } from '../access/policies/behaviour.ts';
import { policyTestBehaviour } from '../access/policy-tests/behaviour.ts';
import { postureCheckBehaviour, postureCheckTypeBehaviour } from '../access/posture/behaviour.ts';
import { serviceBehaviour } from '../access/services/behaviour.ts';
import type { Behaviour } from '../call/behaviour.ts';
import type { KindName, Kinds } from '../contract/api/kinds.ts';
import { edgeRouterBehaviour, routerBehaviour } from '../fabric/routers/behaviour.ts';
import { terminatorBehaviour } from '../fabric/terminators/behaviour.ts';
import { apiSessionBehaviour } from '../identity/api-sessions/present.ts';
import { apiTokenBehaviour } from '../identity/api-tokens/behaviour.ts';
import { authPolicyBehaviour } from '../identity/auth-policies/behaviour.ts';
import { authenticatorBehaviour } from '../identity/authenticators/behaviour.ts';
import { caBehaviour } from '../identity/cas/behaviour.ts';
import { enrollmentBehaviour } from '../identity/enrollment/behaviour.ts';
import { externalJwtSignerBehaviour } from '../identity/external-jwt-signers/behaviour.ts';
import { identityBehaviour } from '../identity/identities/behaviour.ts';
import { sessionBehaviour } from '../identity/sessions/present.ts';
import { controllerBehaviour } from '../operations/controllers/handlers.ts';

/** The registry of behaviours, by kind: the logic of a kind that its field table cannot express. */
export const behaviours = {
  apiSession: apiSessionBehaviour,
  apiToken: apiTokenBehaviour,
  authenticator: authenticatorBehaviour,
  authPolicy: authPolicyBehaviour,
  ca: caBehaviour,
  config: configBehaviour,
  configType: configTypeBehaviour,
  controller: controllerBehaviour,
  edgeRouter: edgeRouterBehaviour,
  enrollment: enrollmentBehaviour,
  externalJwtSigner: externalJwtSignerBehaviour,
  identity: identityBehaviour,
  policyTest: policyTestBehaviour,
  postureCheck: postureCheckBehaviour,
  postureCheckType: postureCheckTypeBehaviour,
  router: routerBehaviour,
  service: serviceBehaviour,
  servicePolicy: servicePolicyBehaviour,
  session: sessionBehaviour,
  terminator: terminatorBehaviour,
} satisfies { readonly [K in KindName]?: Behaviour<Kinds[K]> };
