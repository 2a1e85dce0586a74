import { accessibleServices } from './accessible-services.ts';
import { apiSessionCertificates } from './api-session-certificates.ts';
import { apiSessions, currentApiSession } from './api-sessions.ts';
import { apiTokens, currentApiTokens } from './api-tokens.ts';
import { audit } from './audit.ts';
import { authPolicies } from './auth-policies.ts';
import { authentication } from './authentication.ts';
import { authenticators } from './authenticators.ts';
import { batch } from './batch.ts';
import { cas } from './cas.ts';
import { changes } from './change-log.ts';
import { circuits } from './circuits.ts';
import { configs, configTypes } from './configs.ts';
import { controllers } from './controllers.ts';
import { currentIdentity } from './current-identity.ts';
import { database } from './database.ts';
import { enrolling } from './enrolling.ts';
import { enrollments } from './enrollments.ts';
import { access } from './explain.ts';
import { externalJwtSigners, publicExternalJwtSigners } from './external-jwt-signers.ts';
import { fabricRouters, fabricServices, fabricTerminators } from './fabric.ts';
import { history } from './history.ts';
import { identities } from './identities.ts';
import { identityTypes } from './identity-types.ts';
import { informational } from './informational.ts';
import { inspections } from './inspections.ts';
import { journal } from './journal.ts';
import { withRelatedLists } from './kit/index.ts';
import { routerLinks } from './links.ts';
import { liveApiSessions } from './live-api-sessions.ts';
import { currentMfa } from './mfa.ts';
import { networkEvents } from './network-events.ts';
import { oidc } from './oidc.ts';
import { oidcLogin } from './oidc-login.ts';
import { ownAccount } from './own-account.ts';
import { edgeRouterPolicies, serviceEdgeRouterPolicies, servicePolicies } from './policies.ts';
import { policyTests } from './policy-tests.ts';
import { postureCheckTypes } from './posture-check-types.ts';
import { postureChecks } from './posture-checks/index.ts';
import { postureResponses } from './posture-responses.ts';
import { relatedLists } from './relations.ts';
import { revocations } from './revocations.ts';
import { roleAttributeLists } from './role-attributes.ts';
import { edgeRouters, routers, transitRouters } from './routers.ts';
import { services } from './services.ts';
import { sessions } from './sessions.ts';
import { state } from './state.ts';
import { terminators } from './terminators.ts';
import { traffic } from './traffic.ts';
import { trust } from './trust.ts';
import { usage } from './usage.ts';
import { validations } from './validations.ts';

export { type KindName, type Kinds, kinds } from './kinds.ts';

/** All groups, with every operation of the controller. The operations that list related entities are derived from the relations. */
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
    liveApiSessions,
    currentApiSession,
    currentIdentity,
    apiTokens,
    currentApiTokens,
    currentMfa,
    ownAccount,
    services,
    accessibleServices,
    servicePolicies,
    edgeRouterPolicies,
    serviceEdgeRouterPolicies,
    policyTests,
    postureChecks,
    postureCheckTypes,
    postureResponses,
    edgeRouters,
    routers,
    transitRouters,
    terminators,
    fabricRouters,
    fabricServices,
    fabricTerminators,
    links: routerLinks,
    circuits,
    inspections,
    validations,
    networkEvents,
    sessions,
    access,
    configTypes,
    configs,
    roleAttributes: roleAttributeLists,
    controllers,
    changes,
    history,
    audit,
    journal,
    usage,
    traffic,
    batch,
    database,
    state,
    apiSessionCertificates,
    revocations,
    oidc,
    oidcLogin,
    trust,
    informational,
  },
  relatedLists,
);
