import type { Entry } from '../../../src/call/entry.ts';
import type { App } from '../app.ts';
import { apiTokens, currentApiTokens } from './api-tokens.ts';
import { authenticators, authPolicies } from './authenticators.ts';
import { cas, externalJwtSigners, publicExternalJwtSigners } from './authorities.ts';
import { batch } from './batch.ts';
import { configs, configTypes } from './configs.ts';
import { currentIdentity, currentMfa, ownAccount } from './current-identity.ts';
import { enrolling, enrollments } from './enrollments.ts';
import { circuits, fabricRouters, fabricServices, fabricTerminators, inspections, links, networkEvents, validations } from './fabric.ts';
import { identities, identityTypes, roleAttributes } from './identities.ts';
import { audit, changes, controllers, database, history, informational, journal, traffic, trust, usage } from './maintenance.ts';
import { oidc, oidcLogin, revocations } from './oidc.ts';
import { edgeRouterPolicies, serviceEdgeRouterPolicies, servicePolicies } from './policies.ts';
import { policyTests } from './policy-tests.ts';
import { postureChecks, postureCheckTypes, postureResponses } from './posture.ts';
import { edgeRouters, routers, transitRouters } from './routers.ts';
import type { GroupName, OperationName, PrepareSample, Sample, SamplesOf } from './sample.ts';
import { access, accessibleServices, services, terminators } from './services.ts';
import { apiSessionCertificates, apiSessions, authentication, currentApiSession, liveApiSessions, sessions } from './sessions.ts';
import { state } from './state.ts';

export type { Sample } from './sample.ts';

/** For every operation, by group and verb, a call that succeeds. An operation without one does not compile. */
const samples: { readonly [G in GroupName]: SamplesOf<G> } = {
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
  links,
  circuits,
  inspections,
  validations,
  networkEvents,
  sessions,
  access,
  configTypes,
  configs,
  roleAttributes,
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
};

/** An operation, as the table of entries names it. */
type Named = Pick<Entry, 'group' | 'verb'>;

/** `identities.list` */
export const nameOf = ({ group, verb }: Named): string => `${group}.${verb}`;

/** Creates what a call of the operation needs, and returns the call. */
export const sampleOf = async (app: App, { group, verb }: Named): Promise<Sample> => {
  // Entries are made of the groups that the type of `samples` is made of.
  const prepare: PrepareSample = Reflect.get(Reflect.get(samples, group), verb);
  return prepare(app);
};

const names = (...operations: readonly OperationName[]): ReadonlySet<string> => new Set(operations);

/** Where a parent that is not there has an empty list, as the specification lists no 404 for it. */
export const listsOfUnknownParents = names(
  'configTypes.listConfigs',
  'configs.listServices',
  'services.listConfigs',
  'services.listEdgeRouters',
  'services.listIdentities',
  'services.listServicePolicies',
  'services.listServiceEdgeRouterPolicies',
  'services.listTerminators',
  'servicePolicies.listIdentities',
  'servicePolicies.listServices',
  'servicePolicies.listPostureChecks',
  'fabricServices.listTerminators',
);

/** Lists that may be empty, because what they hold is made by the host only, or by routers that are connected. */
export const emptyLists = names('controllers.list', 'links.list', 'circuits.list', 'journal.list', 'usage.list');
