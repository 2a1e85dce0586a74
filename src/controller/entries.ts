import { roleAttributeEntries } from '../access/roles/attributes-in-use.ts';
import { serviceEntries } from '../access/services/handlers.ts';
import type { Entry } from '../call/entry.ts';
import { implement } from '../call/implement.ts';
import { crudHandlers } from '../call/resources/crud.ts';
import { authPolicies, authPolicy } from '../contract/api/auth-policies.ts';
import { authenticator, authenticators } from '../contract/api/authenticators.ts';
import { config, configs, configType, configTypes } from '../contract/api/configs.ts';
import { currentIdentity } from '../contract/api/current-identity.ts';
import { identities } from '../contract/api/identities.ts';
import { identityType, identityTypes } from '../contract/api/identity-types.ts';
import {
  edgeRouterPolicies,
  edgeRouterPolicy,
  serviceEdgeRouterPolicies,
  serviceEdgeRouterPolicy,
  servicePolicies,
  servicePolicy,
} from '../contract/api/policies.ts';
import { policyTest, policyTests } from '../contract/api/policy-tests.ts';
import { postureCheckType, postureCheckTypes } from '../contract/api/posture-check-types.ts';
import { postureCheck, postureChecks } from '../contract/api/posture-checks/index.ts';
import { terminator, terminators } from '../contract/api/terminators.ts';
import { enrollRouter, extendRouter } from '../fabric/routers/enrollment.ts';
import { routerEntries } from '../fabric/routers/handlers.ts';
import { listOwnEdgeRouters } from '../fabric/routers/own-edge-routers.ts';
import { fabricEntries } from '../fabric/view/handlers.ts';
import { trafficEntries } from '../fabric/view/traffic-history.ts';
import { accessibleServiceEntries } from '../identity/accessible/handlers.ts';
import { apiSessionCertificateEntries } from '../identity/api-sessions/certificates.ts';
import { apiSessionEntries } from '../identity/api-sessions/handlers.ts';
import { liveApiSessionEntries } from '../identity/api-sessions/live.ts';
import { revocationEntries } from '../identity/api-sessions/revocations.ts';
import { apiTokenEntries } from '../identity/api-tokens/handlers.ts';
import { confirmExtension, extend, requestExtension } from '../identity/authenticators/extension.ts';
import { caEntries } from '../identity/cas/handlers.ts';
import { currentIdentityHandlers } from '../identity/current-identity/handlers.ts';
import { enrollingEntries, enrollmentEntries, reEnrollAuthenticator } from '../identity/enrollment/handlers.ts';
import { accessEntries, policyAdviceFor } from '../identity/explain/handlers.ts';
import { externalJwtSignerEntries } from '../identity/external-jwt-signers/handlers.ts';
import { identityHandlers } from '../identity/identities/handlers.ts';
import { authenticationEntries } from '../identity/login/handlers.ts';
import { currentMfaEntries } from '../identity/mfa/handlers.ts';
import { oidcEntries } from '../identity/oidc/handlers.ts';
import { ownAccountEntries } from '../identity/own-account/handlers.ts';
import { postureDataFor } from '../identity/posture-data/data.ts';
import { postureResponseEntries } from '../identity/posture-data/report.ts';
import { failedServiceRequestsOf } from '../identity/sessions/failures.ts';
import { sessionEntries } from '../identity/sessions/handlers.ts';
import { auditEntries } from '../operations/audit/handlers.ts';
import { batchEntries } from '../operations/batch/handlers.ts';
import { changeEntries } from '../operations/changes/handlers.ts';
import { controllerEntries, controllersForClients } from '../operations/controllers/handlers.ts';
import { databaseEntries } from '../operations/database/handlers.ts';
import { historyEntries } from '../operations/history/handlers.ts';
import { informationalEntries } from '../operations/informational/handlers.ts';
import { networkEventEntries } from '../operations/network-events/follow-network-events.ts';
import { stateEntries } from '../operations/state/handlers.ts';
import { traceIdentity } from '../operations/tracing/trace-identity.ts';
import { trustEntries } from '../operations/trust/handlers.ts';
import { journalEntries } from '../operations/usage/journal.ts';
import { usageEntries } from '../operations/usage/usage.ts';
import { validationEntries } from '../operations/validations/handlers.ts';
import { relatedEntries } from './relations.ts';

/** Every operation with its handler. Groups whose handlers are in several domains are assembled here. */
export const entries: readonly Entry[] = [
  ...relatedEntries,
  ...roleAttributeEntries,
  ...implement(servicePolicies, crudHandlers(servicePolicies, servicePolicy)),
  ...implement(edgeRouterPolicies, crudHandlers(edgeRouterPolicies, edgeRouterPolicy)),
  ...implement(serviceEdgeRouterPolicies, crudHandlers(serviceEdgeRouterPolicies, serviceEdgeRouterPolicy)),
  ...implement(policyTests, crudHandlers(policyTests, policyTest)),
  ...implement(postureChecks, crudHandlers(postureChecks, postureCheck)),
  ...implement(postureCheckTypes, crudHandlers(postureCheckTypes, postureCheckType)),
  ...implement(configTypes, crudHandlers(configTypes, configType)),
  ...implement(configs, crudHandlers(configs, config)),
  ...serviceEntries,
  ...implement(identityTypes, crudHandlers(identityTypes, identityType)),
  ...implement(identities, {
    ...identityHandlers,
    getPolicyAdvice: policyAdviceFor,
    getPostureData: postureDataFor,
    getFailedServiceRequests: failedServiceRequestsOf,
    trace: traceIdentity,
  }),
  ...implement(authPolicies, crudHandlers(authPolicies, authPolicy)),
  ...implement(authenticators, {
    ...crudHandlers(authenticators, authenticator),
    reEnroll: reEnrollAuthenticator,
    requestExtend: requestExtension,
    extend,
    extendVerify: confirmExtension,
  }),
  ...caEntries,
  ...externalJwtSignerEntries,
  ...enrollmentEntries,
  ...enrollingEntries({ enrollRouter, extendRouter, controllersForClients }),
  ...implement(currentIdentity, { ...currentIdentityHandlers, listEdgeRouters: listOwnEdgeRouters }),
  ...currentMfaEntries,
  ...ownAccountEntries,
  ...apiTokenEntries,
  ...routerEntries,
  ...implement(terminators, crudHandlers(terminators, terminator)),
  ...fabricEntries,
  ...authenticationEntries,
  ...apiSessionEntries,
  ...liveApiSessionEntries,
  ...apiSessionCertificateEntries,
  ...revocationEntries,
  ...oidcEntries,
  ...sessionEntries,
  ...accessibleServiceEntries,
  ...accessEntries,
  ...postureResponseEntries,
  ...controllerEntries,
  ...auditEntries,
  ...journalEntries,
  ...usageEntries,
  ...trafficEntries,
  ...changeEntries,
  ...historyEntries,
  ...networkEventEntries,
  ...validationEntries,
  ...batchEntries,
  ...databaseEntries,
  ...stateEntries,
  ...trustEntries,
  ...informationalEntries,
];
