import type { Behaviours } from '../call/behaviour.ts';
import { authenticatorBehaviour } from './authentication/authenticators.ts';
import { authPolicyBehaviour } from './authentication/policies.ts';
import { caBehaviour } from './cas/behaviour.ts';
import { configBehaviour, configTypeBehaviour } from './configs/behaviour.ts';
import { controllerBehaviour } from './controllers/handlers.ts';
import { enrollmentBehaviour } from './enrollment/behaviour.ts';
import { externalJwtSignerBehaviour } from './external-jwt-signers/behaviour.ts';
import { identityBehaviour } from './identity/behaviour.ts';
import { servicePolicyBehaviour } from './policies/behaviour.ts';
import { postureCheckBehaviour, postureCheckTypeBehaviour } from './posture/behaviour.ts';
import { edgeRouterBehaviour, routerBehaviour } from './routers/behaviour.ts';
import { serviceSessionBehaviour } from './service-sessions/present.ts';
import { serviceBehaviour } from './services/behaviour.ts';
import { apiSessionBehaviour } from './sessions/present.ts';
import { terminatorBehaviour } from './terminators/behaviour.ts';

/** The one list of behaviours: what the kinds do that their field tables cannot say. The engine finds them here by kind. */
export const behaviours: Behaviours = {
  apiSession: apiSessionBehaviour,
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
  postureCheck: postureCheckBehaviour,
  postureCheckType: postureCheckTypeBehaviour,
  router: routerBehaviour,
  service: serviceBehaviour,
  servicePolicy: servicePolicyBehaviour,
  session: serviceSessionBehaviour,
  terminator: terminatorBehaviour,
};
