import type { KindName, Kinds } from '../api/kinds.ts';
import type { Behaviour } from '../call/behaviour.ts';
import { configBehaviour, configTypeBehaviour } from './catalogue/configs/behaviour.ts';
import { serviceBehaviour } from './catalogue/services/behaviour.ts';
import { apiTokenBehaviour } from './directory/api-tokens/behaviour.ts';
import { authPolicyBehaviour } from './directory/auth-policies/behaviour.ts';
import { authenticatorBehaviour } from './directory/authenticators/behaviour.ts';
import { caBehaviour } from './directory/cas/behaviour.ts';
import { enrollmentBehaviour } from './directory/enrollment/behaviour.ts';
import { externalJwtSignerBehaviour } from './directory/external-jwt-signers/behaviour.ts';
import { identityBehaviour } from './directory/identities/behaviour.ts';
import { edgeRouterBehaviour, routerBehaviour } from './fabric/routers/behaviour.ts';
import { terminatorBehaviour } from './fabric/terminators/behaviour.ts';
import { controllerBehaviour } from './maintenance/controllers/handlers.ts';
import { servicePolicyBehaviour } from './policy/policies/behaviour.ts';
import { postureCheckBehaviour, postureCheckTypeBehaviour } from './policy/posture/behaviour.ts';
import { policyTestBehaviour } from './policy/tests/behaviour.ts';
import { apiSessionBehaviour } from './sessions/api-sessions/present.ts';
import { sessionBehaviour } from './sessions/sessions/present.ts';

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
