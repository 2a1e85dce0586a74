import { config, configs, configType, configTypes } from '../api/configs.ts';
import { identityType, identityTypes } from '../api/identity-types.ts';
import { service } from '../api/services.ts';
import { terminator, terminators } from '../api/terminators.ts';
import type { Entry } from '../call/call.ts';
import { implement } from '../call/implement.ts';
import { equals, has, text } from '../query/index.ts';
import { crudHandlers } from '../resources/crud.ts';
import { relatedList } from '../resources/related.ts';
import { serviceEntries } from './catalogue/services/handlers.ts';
import { caEntries } from './directory/cas/handlers.ts';
import { currentIdentityEntries } from './directory/current-identity/handlers.ts';
import { enrollmentEntries } from './directory/enrollment/handlers.ts';
import { externalJwtSignerEntries } from './directory/external-jwt-signers/handlers.ts';
import { identityEntries } from './directory/identities/handlers.ts';
import { currentMfaEntries } from './directory/mfa/handlers.ts';
import { routerEntries } from './fabric/routers/handlers.ts';
import { controllerEntries } from './maintenance/controllers/handlers.ts';
import { databaseEntries } from './maintenance/database/handlers.ts';
import { informationalEntries } from './maintenance/informational/handlers.ts';
import { trustEntries } from './maintenance/trust/handlers.ts';
import { policyEntries } from './policy/policies/handlers.ts';
import { postureEntries } from './policy/posture/handlers.ts';
import { roleAttributeEntries } from './policy/roles/attributes-in-use.ts';
import { accessibleServiceEntries } from './sessions/accessible/handlers.ts';
import { sessionCertificateEntries } from './sessions/api-sessions/certificates.ts';
import { accessEntries } from './sessions/explain/handlers.ts';
import { authenticationEntries } from './sessions/login/handlers.ts';
import { serviceSessionEntries } from './sessions/service-sessions/handlers.ts';

/** Every operation with what carries it out. */
export const entries: readonly Entry[] = [
  ...identityEntries,
  ...implement(identityTypes, crudHandlers(identityTypes, identityType)),
  ...authenticationEntries,
  ...externalJwtSignerEntries,
  ...enrollmentEntries,
  ...currentIdentityEntries,
  ...currentMfaEntries,
  ...caEntries,
  ...implement(configTypes, {
    ...crudHandlers(configTypes, configType),
    listConfigs: relatedList(configType, config, (_, { id }) => equals(text('configTypeId'), id)),
  }),
  ...implement(configs, {
    ...crudHandlers(configs, config),
    listServices: relatedList(config, service, (_, { id }) => has('configs', id)),
  }),
  ...serviceEntries,
  ...accessibleServiceEntries,
  ...accessEntries,
  ...policyEntries,
  ...postureEntries,
  ...routerEntries,
  ...implement(terminators, crudHandlers(terminators, terminator)),
  ...roleAttributeEntries,
  ...serviceSessionEntries,
  ...controllerEntries,
  ...databaseEntries,
  ...sessionCertificateEntries,
  ...trustEntries,
  ...informationalEntries,
];
