/**
 * A network as the specification describes it: arrays, and rules that are looked up anew each time. Slow, plain, and without a line of
 * `src/`.
 */
import { type Endpoint, passes, type Rules, type Told } from './posture.ts';

export type Right = 'Dial' | 'Bind';
export type Semantic = 'AllOf' | 'AnyOf';

export interface Entity {
  readonly id: string;
  name: string;
  attributes: readonly string[];
}

export interface Identity extends Entity {
  readonly username: string;
  /** Until when, ms; 0 when it is not. */
  disabledUntil: number;
  hasMfa: boolean;
  readonly told: Told[];
}

export interface Check extends Entity {
  rules: Rules;
}

export interface Policy {
  readonly id: string;
  type: Right;
  semantic: Semantic;
  identityRoles: readonly string[];
  serviceRoles: readonly string[];
  postureCheckRoles: readonly string[];
}

/** Which routers identities may use, or services. */
export interface RouterPolicy {
  readonly id: string;
  readonly of: 'identities' | 'services';
  semantic: Semantic;
  roles: readonly string[];
  edgeRouterRoles: readonly string[];
}

/** An API session. */
export interface Login {
  readonly id: string;
  readonly token: string;
  readonly identityId: string;
  /** Logged in while MFA was enrolled, and gave no code yet. */
  owesCode: boolean;
  /** Times in ms. */
  usedAt: number;
  passedAt: number | undefined;
  wokenAt: number | undefined;
  unlockedAt: number | undefined;
}

export interface Session {
  readonly id: string;
  readonly loginId: string;
  readonly serviceId: string;
  readonly type: Right;
}

export interface Model {
  /** ms */
  now: number;
  identities: Identity[];
  services: Entity[];
  routers: Entity[];
  checks: Check[];
  policies: Policy[];
  routerPolicies: RouterPolicy[];
  logins: Login[];
  sessions: Session[];
}

export const emptyModel = (now: number): Model => ({
  now,
  identities: [],
  services: [],
  routers: [],
  checks: [],
  policies: [],
  routerPolicies: [],
  logins: [],
  sessions: [],
});

const IDLE = 30 * 60_000;

/** Ids select whatever the semantic, `#all` selects everything, attributes by the semantic, and nothing selects nothing. */
export const isSelected = (semantic: Semantic, roles: readonly string[], { id, attributes }: Entity): boolean => {
  if (roles.includes(`@${id}`) || roles.includes('#all')) return true;
  const words = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1));
  if (words.length === 0) return false;
  return semantic === 'AllOf' ? words.every((word) => attributes.includes(word)) : words.some((word) => attributes.includes(word));
};

export const policiesBetween = ({ policies }: Model, identity: Entity, service: Entity): Policy[] =>
  policies.filter(
    (policy) => isSelected(policy.semantic, policy.identityRoles, identity) && isSelected(policy.semantic, policy.serviceRoles, service),
  );

export const checksOf = ({ checks }: Model, { semantic, postureCheckRoles }: Policy): Check[] =>
  checks.filter((check) => isSelected(semantic, postureCheckRoles, check));

export const identityOf = ({ identities }: Model, { identityId }: Login): Identity => {
  const identity = identities.find(({ id }) => id === identityId);
  if (!identity) throw new Error(`the model has a login of ${identityId}, which is gone`);
  return identity;
};

export const isPassing = (model: Model, login: Login, { id, rules }: Check): boolean => {
  const endpoint: Endpoint = { ...login, told: identityOf(model, login).told };
  return passes(id, rules, endpoint, model.now);
};

/** A policy without checks always passes. */
export const policyPasses = (model: Model, login: Login, policy: Policy): boolean =>
  checksOf(model, policy).every((check) => isPassing(model, login, check));

/** One passing policy of the type is enough. */
export const isGranted = (model: Model, login: Login, service: Entity, type: Right): boolean =>
  policiesBetween(model, identityOf(model, login), service).some((policy) => policy.type === type && policyPasses(model, login, policy));

export const commonRouters = ({ routers, routerPolicies }: Model, identity: Entity, service: Entity): Entity[] => {
  const mayUse = (of: RouterPolicy['of'], entity: Entity, router: Entity) =>
    routerPolicies.some(
      (policy) =>
        policy.of === of &&
        isSelected(policy.semantic, policy.roles, entity) &&
        isSelected(policy.semantic, policy.edgeRouterRoles, router),
    );
  return routers.filter((router) => mayUse('identities', identity, router) && mayUse('services', service, router));
};

/** A session that somebody may ask for. */
export interface Wish {
  readonly login: Login;
  readonly service: Entity;
  readonly type: Right;
}

/** In the order in which services tell them. */
export const RIGHTS: readonly Right[] = ['Bind', 'Dial'];

export const wishesIn = ({ logins, services }: Readonly<Model>): Wish[] =>
  logins.flatMap((login) => services.flatMap((service) => RIGHTS.map((type) => ({ login, service, type }))));

/** What asking for a session comes to: the code of the refusal, or `granted`. */
export const outcomeOfDialling = (model: Model, { login, service, type }: Wish): string => {
  const identity = identityOf(model, login);
  const policies = policiesBetween(model, identity, service);
  if (login.owesCode) return 'UNAUTHORIZED';
  if (policies.length === 0) return 'NOT_FOUND';
  if (!policies.some((policy) => policy.type === type)) return 'COULD_NOT_VALIDATE';
  if (!isGranted(model, login, service, type)) return 'INVALID_POSTURE';
  return commonRouters(model, identity, service).length === 0 ? 'NO_EDGE_ROUTERS_AVAILABLE' : 'granted';
};

/** Ends what has no right to go on. What has ended does not come back, and so this follows every change and every step of the clock. */
export const settle = (model: Model): void => {
  model.logins = model.logins.filter((login) => {
    const identity = model.identities.find(({ id }) => id === login.identityId);
    return identity && identity.disabledUntil <= model.now && model.now - login.usedAt < IDLE;
  });
  model.sessions = model.sessions.filter(({ loginId, serviceId, type }) => {
    const login = model.logins.find(({ id }) => id === loginId);
    const service = model.services.find(({ id }) => id === serviceId);
    return login && service && isGranted(model, login, service, type);
  });
};

/** An entity that is deleted leaves all roles. */
export const forget = (model: Model, id: string): void => {
  const without = (roles: readonly string[]) => roles.filter((role) => role !== `@${id}`);
  for (const policy of model.policies) {
    policy.identityRoles = without(policy.identityRoles);
    policy.serviceRoles = without(policy.serviceRoles);
    policy.postureCheckRoles = without(policy.postureCheckRoles);
  }
  for (const policy of model.routerPolicies) {
    policy.roles = without(policy.roles);
    policy.edgeRouterRoles = without(policy.edgeRouterRoles);
  }
};
