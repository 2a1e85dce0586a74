import { authPolicies, authPolicy } from './auth-policies.ts';
import { authentication } from './authentication.ts';
import { authenticator, authenticators } from './authenticators.ts';
import { change } from './changes.ts';
import { config, configs, configType, configTypes } from './configs.ts';
import { currentIdentity } from './current-identity.ts';
import { identities, identity } from './identities.ts';
import { identityType, identityTypes } from './identity-types.ts';
import { informational } from './informational.ts';
import { roleAttributeLists } from './role-attributes.ts';
import { apiSession, apiSessions, currentApiSession } from './sessions.ts';

/** The one list of groups: every operation of the controller. */
export const groups = {
  identities,
  identityTypes,
  authPolicies,
  authenticators,
  authentication,
  apiSessions,
  currentApiSession,
  currentIdentity,
  configTypes,
  configs,
  roleAttributes: roleAttributeLists,
  informational,
} as const;

/** The one list of kinds: everything that is stored. */
export const kinds = { identity, identityType, authPolicy, authenticator, apiSession, configType, config, change } as const;

export type Kinds = typeof kinds;
export type KindName = keyof Kinds;
