import { accessibleServices } from './accessible-services.ts';
import { apiSessionCertificate, apiSessionCertificates } from './api-session-certificates.ts';
import { apiSession, apiSessions, currentApiSession } from './api-sessions.ts';
import { authPolicies, authPolicy } from './auth-policies.ts';
import { authRequest } from './auth-requests.ts';
import { authentication } from './authentication.ts';
import { authenticator, authenticators } from './authenticators.ts';
import { builtInRow } from './built-in-rows.ts';
import { ca, cas } from './cas.ts';
import { changes } from './change-log.ts';
import { change } from './changes.ts';
import { config, configs, configType, configTypes } from './configs.ts';
import { controller, controllers } from './controllers.ts';
import { currentIdentity } from './current-identity.ts';
import { cursor } from './cursors.ts';
import { database, maintenanceTask } from './database.ts';
import { enrolling } from './enrolling.ts';
import { enrollment, enrollments } from './enrollments.ts';
import { access } from './explain.ts';
import { externalJwtSigner, externalJwtSigners, publicExternalJwtSigners } from './external-jwt-signers.ts';
import { failedServiceRequest } from './failed-service-requests.ts';
import { identities, identity } from './identities.ts';
import { identityType, identityTypes } from './identity-types.ts';
import { informational } from './informational.ts';
import { keptSecret } from './kept-secrets.ts';
import { withRelatedLists } from './kit/related-list.ts';
import { lease } from './leases.ts';
import { currentMfa, mfa } from './mfa.ts';
import { oidc } from './oidc.ts';
import { oidcLogin } from './oidc-login.ts';
import {
  edgeRouterPolicies,
  edgeRouterPolicy,
  serviceEdgeRouterPolicies,
  serviceEdgeRouterPolicy,
  servicePolicies,
  servicePolicy,
} from './policies.ts';
import { postureCheckType, postureCheckTypes } from './posture-check-types.ts';
import { postureCheck, postureChecks } from './posture-checks/index.ts';
import { postureData } from './posture-data.ts';
import { postureResponses } from './posture-responses.ts';
import { relatedLists } from './relations.ts';
import { revocation, revocations } from './revocations.ts';
import { roleAttributeLists } from './role-attributes.ts';
import { edgeRouter, edgeRouters, router, routers, transitRouters } from './routers.ts';
import { serviceConfig } from './service-configs.ts';
import { service, services } from './services.ts';
import { sessionReview } from './session-reviews.ts';
import { session, sessions } from './sessions.ts';
import { tenant } from './tenants.ts';
import { terminator, terminators } from './terminators.ts';
import { trace } from './traces.ts';
import { trust } from './trust.ts';

/** The one list of groups: every operation of the controller. Those that list what entities are related to come from the relations. */
export const groups = withRelatedLists(
  {
    identities,
    identityTypes,
    authPolicies,
    authenticators,
    cas,
    externalJwtSigners,
    publicExternalJwtSigners,
    enrollments,
    enrolling,
    authentication,
    apiSessions,
    currentApiSession,
    currentIdentity,
    currentMfa,
    services,
    accessibleServices,
    servicePolicies,
    edgeRouterPolicies,
    serviceEdgeRouterPolicies,
    postureChecks,
    postureCheckTypes,
    postureResponses,
    edgeRouters,
    routers,
    transitRouters,
    terminators,
    sessions,
    access,
    configTypes,
    configs,
    roleAttributes: roleAttributeLists,
    controllers,
    changes,
    database,
    apiSessionCertificates,
    revocations,
    oidc,
    oidcLogin,
    trust,
    informational,
  },
  relatedLists,
);

/** The one list of kinds: everything that is stored. */
export const kinds = {
  identity,
  identityType,
  authPolicy,
  authenticator,
  ca,
  externalJwtSigner,
  enrollment,
  apiSession,
  mfa,
  apiSessionCertificate,
  authRequest,
  revocation,
  service,
  serviceConfig,
  servicePolicy,
  edgeRouterPolicy,
  serviceEdgeRouterPolicy,
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
  keptSecret,
  builtInRow,
  tenant,
} as const;

/** Every kind of entity by its name, with its table of fields. */
export type Kinds = typeof kinds;
/** Name of a kind, as changes and events have it: `identity`, `apiSession`, `servicePolicy`, ... */
export type KindName = keyof Kinds;
