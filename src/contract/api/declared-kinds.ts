import { authPolicy } from './auth-policies.ts';
import { ca } from './cas.ts';
import { config, configType } from './configs.ts';
import { externalJwtSigner } from './external-jwt-signers.ts';
import { identity } from './identities.ts';
import { edgeRouterPolicy, serviceEdgeRouterPolicy, servicePolicy } from './policies.ts';
import { policyTest } from './policy-tests.ts';
import { postureCheck } from './posture-checks/index.ts';
import { edgeRouter, router } from './routers.ts';
import { service } from './services.ts';

/**
 * The kinds whose entities a state document declares, by section, in the order of the document. A section is named after the group of
 * operations of its kind. Names are unique within each of these kinds.
 */
export const declaredKinds = {
  configTypes: configType,
  configs: config,
  externalJwtSigners: externalJwtSigner,
  authPolicies: authPolicy,
  cas: ca,
  postureChecks: postureCheck,
  services: service,
  edgeRouters: edgeRouter,
  routers: router,
  identities: identity,
  servicePolicies: servicePolicy,
  edgeRouterPolicies: edgeRouterPolicy,
  serviceEdgeRouterPolicies: serviceEdgeRouterPolicy,
  policyTests: policyTest,
} as const;

export type SectionName = keyof typeof declaredKinds;

/** The names of the sections, in the order of a document. */
export const sectionNames = Object.keys(declaredKinds) as readonly SectionName[]; // its keys, by definition

/** The tag that contains the owner label of an entity. */
export const OWNER_TAG = 'managedBy';
