import { apiSessionCertificate } from './api-session-certificates.ts';
import { apiSession } from './api-sessions.ts';
import { apiToken } from './api-tokens.ts';
import { authPolicy } from './auth-policies.ts';
import { authRequest } from './auth-requests.ts';
import { authenticator } from './authenticators.ts';
import { builtInRow } from './built-in-rows.ts';
import { ca } from './cas.ts';
import { change } from './changes.ts';
import { config, configType } from './configs.ts';
import { controller } from './controllers.ts';
import { cursor } from './cursors.ts';
import { maintenanceTask } from './database.ts';
import { endCount } from './end-counts.ts';
import { enrollment } from './enrollments.ts';
import { externalJwtSigner } from './external-jwt-signers.ts';
import { failedServiceRequest } from './failed-service-requests.ts';
import { idempotencyKey } from './idempotency-keys.ts';
import { identity } from './identities.ts';
import { identityType } from './identity-types.ts';
import { journalEntry } from './journal.ts';
import { keptSecret } from './kept-secrets.ts';
import type { KindName } from './kind-names.ts';
import { lease } from './leases.ts';
import { logCheckpoint, routerRepair, securityEvent } from './log-only-kinds.ts';
import { mfa } from './mfa.ts';
import { edgeRouterPolicy, serviceEdgeRouterPolicy, servicePolicy } from './policies.ts';
import { policyTest } from './policy-tests.ts';
import { postureCheckType } from './posture-check-types.ts';
import { postureCheck } from './posture-checks/index.ts';
import { postureData } from './posture-data.ts';
import { revocation } from './revocations.ts';
import { edgeRouter, router } from './routers.ts';
import { serviceConfig } from './service-configs.ts';
import { service } from './services.ts';
import { sessionReview } from './session-reviews.ts';
import { session } from './sessions.ts';
import { tenant } from './tenants.ts';
import { terminator } from './terminators.ts';
import { trace } from './traces.ts';
import { usageSum } from './usage.ts';

/** All kinds of stored entities. */
export const kinds = {
  identity,
  identityType,
  authPolicy,
  authenticator,
  ca,
  externalJwtSigner,
  enrollment,
  apiSession,
  apiToken,
  mfa,
  apiSessionCertificate,
  authRequest,
  revocation,
  service,
  serviceConfig,
  servicePolicy,
  edgeRouterPolicy,
  serviceEdgeRouterPolicy,
  policyTest,
  postureCheck,
  postureCheckType,
  postureData,
  router,
  edgeRouter,
  terminator,
  session,
  sessionReview,
  failedServiceRequest,
  configType,
  config,
  trace,
  controller,
  maintenanceTask,
  lease,
  cursor,
  change,
  securityEvent,
  routerRepair,
  logCheckpoint,
  keptSecret,
  idempotencyKey,
  endCount,
  builtInRow,
  journalEntry,
  usageSum,
  tenant,
} as const satisfies Record<KindName, unknown>;

/** Every kind of entity, by name, with its field table. */
export type Kinds = typeof kinds;
export type { KindName };

export {
  apiSession,
  apiSessionCertificate,
  apiToken,
  authenticator,
  authPolicy,
  authRequest,
  builtInRow,
  ca,
  change,
  config,
  configType,
  controller,
  cursor,
  edgeRouter,
  edgeRouterPolicy,
  endCount,
  enrollment,
  externalJwtSigner,
  failedServiceRequest,
  idempotencyKey,
  identity,
  identityType,
  journalEntry,
  keptSecret,
  lease,
  maintenanceTask,
  mfa,
  policyTest,
  postureCheck,
  postureCheckType,
  postureData,
  revocation,
  router,
  service,
  serviceConfig,
  serviceEdgeRouterPolicy,
  servicePolicy,
  session,
  sessionReview,
  tenant,
  terminator,
  trace,
  usageSum,
};
