import { config, configs, configType, configTypes } from '../api/configs.ts';
import { identityType, identityTypes } from '../api/identity-types.ts';
import { service } from '../api/services.ts';
import { terminator, terminators } from '../api/terminators.ts';
import type { Entry } from '../call/call.ts';
import { implement } from '../call/implement.ts';
import { equals, has, text } from '../query/index.ts';
import { crudHandlers } from '../resources/crud.ts';
import { relatedList } from '../resources/related.ts';
import { accessibleServiceEntries } from './access/client.ts';
import { accessEntries } from './access/explain.ts';
import { currentIdentityEntries } from './authentication/current-identity.ts';
import { authenticationEntries } from './authentication/handlers.ts';
import { caEntries } from './cas/handlers.ts';
import { controllerEntries } from './controllers/handlers.ts';
import { databaseEntries } from './database/handlers.ts';
import { enrollmentEntries } from './enrollment/handlers.ts';
import { externalJwtSignerEntries } from './external-jwt-signers/handlers.ts';
import { identityEntries } from './identity/handlers.ts';
import { informationalEntries } from './informational/handlers.ts';
import { currentMfaEntries } from './mfa/handlers.ts';
import { policyEntries } from './policies/handlers.ts';
import { postureEntries } from './posture/handlers.ts';
import { roleAttributeEntries } from './roles/attributes-in-use.ts';
import { routerEntries } from './routers/handlers.ts';
import { serviceSessionEntries } from './service-sessions/handlers.ts';
import { serviceEntries } from './services/handlers.ts';
import { sessionCertificateEntries } from './sessions/certificates.ts';
import { trustEntries } from './trust/handlers.ts';

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
