import { authPolicies, authPolicy } from '../api/auth-policies.ts';
import { authenticator, authenticators } from '../api/authenticators.ts';
import { config, configs, configType, configTypes } from '../api/configs.ts';
import { currentIdentity } from '../api/current-identity.ts';
import { identities } from '../api/identities.ts';
import { identityType, identityTypes } from '../api/identity-types.ts';
import {
  edgeRouterPolicies,
  edgeRouterPolicy,
  serviceEdgeRouterPolicies,
  serviceEdgeRouterPolicy,
  servicePolicies,
  servicePolicy,
} from '../api/policies.ts';
import { policyTest, policyTests } from '../api/policy-tests.ts';
import { postureCheckType, postureCheckTypes } from '../api/posture-check-types.ts';
import { postureCheck, postureChecks } from '../api/posture-checks/index.ts';
import { terminator, terminators } from '../api/terminators.ts';
import type { Entry } from '../call/call.ts';
import { implement } from '../call/implement.ts';
import { crudHandlers } from '../resources/crud.ts';
import { serviceEntries } from './catalogue/services/handlers.ts';
import { apiTokenEntries } from './directory/api-tokens/handlers.ts';
import { confirmExtension, extend, requestExtension } from './directory/authenticators/extension.ts';
import { caEntries } from './directory/cas/handlers.ts';
import { currentIdentityHandlers } from './directory/current-identity/handlers.ts';
import { enrollingEntries, enrollmentEntries, reEnrollAuthenticator } from './directory/enrollment/handlers.ts';
import { externalJwtSignerEntries } from './directory/external-jwt-signers/handlers.ts';
import { identityHandlers } from './directory/identities/handlers.ts';
import { currentMfaEntries } from './directory/mfa/handlers.ts';
import { enrollRouter, extendRouter } from './fabric/routers/enrollment.ts';
import { routerEntries } from './fabric/routers/handlers.ts';
import { listOwnEdgeRouters } from './fabric/routers/own.ts';
import { fabricEntries } from './fabric/view/handlers.ts';
import { auditEntries } from './maintenance/audit/handlers.ts';
import { batchEntries } from './maintenance/batch/handlers.ts';
import { changeEntries } from './maintenance/changes/handlers.ts';
import { controllerEntries, controllersForClients } from './maintenance/controllers/handlers.ts';
import { databaseEntries } from './maintenance/database/handlers.ts';
import { historyEntries } from './maintenance/history/handlers.ts';
import { informationalEntries } from './maintenance/informational/handlers.ts';
import { stateEntries } from './maintenance/state/handlers.ts';
import { traceIdentity } from './maintenance/tracing/trace-identity.ts';
import { trustEntries } from './maintenance/trust/handlers.ts';
import { roleAttributeEntries } from './policy/roles/attributes-in-use.ts';
import { relatedEntries } from './relations.ts';
import { accessibleServiceEntries } from './sessions/accessible/handlers.ts';
import { apiSessionCertificateEntries } from './sessions/api-sessions/certificates.ts';
import { apiSessionEntries } from './sessions/api-sessions/handlers.ts';
import { revocationEntries } from './sessions/api-sessions/revocations.ts';
import { accessEntries, policyAdviceFor } from './sessions/explain/handlers.ts';
import { authenticationEntries } from './sessions/login/handlers.ts';
import { oidcEntries } from './sessions/oidc/handlers.ts';
import { postureDataFor } from './sessions/posture-data/data.ts';
import { postureResponseEntries } from './sessions/posture-data/report.ts';
import { failedServiceRequestsOf } from './sessions/sessions/failures.ts';
import { sessionEntries } from './sessions/sessions/handlers.ts';

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
  ...apiTokenEntries,
  ...routerEntries,
  ...implement(terminators, crudHandlers(terminators, terminator)),
  ...fabricEntries,
  ...authenticationEntries,
  ...apiSessionEntries,
  ...apiSessionCertificateEntries,
  ...revocationEntries,
  ...oidcEntries,
  ...sessionEntries,
  ...accessibleServiceEntries,
  ...accessEntries,
  ...postureResponseEntries,
  ...controllerEntries,
  ...auditEntries,
  ...changeEntries,
  ...historyEntries,
  ...batchEntries,
  ...databaseEntries,
  ...stateEntries,
  ...trustEntries,
  ...informationalEntries,
];
