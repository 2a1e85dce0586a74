/** The controller beside the model: what is asked of it, and what must be the same. */
import assert from 'node:assert/strict';
import { ApiError } from '../../../src/contract/errors/index.ts';
import type { Api } from '../../../src/index.ts';
import { type App, PASSWORD } from '../app.ts';
import { totp } from '../mfa.ts';
import {
  checksOf,
  commonRouters,
  identityOf,
  isGranted,
  isPassing,
  type Login,
  type Model,
  policiesBetween,
  policyPasses,
  RIGHTS,
  type Wish,
  wishesIn,
} from './model.ts';

export interface System {
  readonly app: App;
  /** The operations with the rights of a login. */
  as(login: Login): Api;
  /** TOTP secrets by identity. */
  readonly secrets: Map<string, string>;
  /** Steps so far: of what is too much to look at each time, it says whose turn it is. */
  steps: number;
}

export const systemOf = (app: App): System => {
  const known = new Map<string, Api>();
  const as = ({ token }: Login): Api => {
    const own = known.get(token) ?? app.controller.as(token);
    known.set(token, own);
    return own;
  };
  return { app, as, secrets: new Map(), steps: 0 };
};

/** The code of the refusal, or `granted`. */
export const outcomeOf = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return 'granted';
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error.code;
    throw error;
  }
};

export const logIn = async ({ controller }: App, username: string) =>
  controller.api.authentication.authenticate({ method: 'password', body: { username, password: PASSWORD } });

/** Gives a code in a session, of MFA that is there or is set up with it. */
export const giveCode = async ({ app, as, secrets }: System, login: Login): Promise<void> => {
  const { identityId } = login;
  const own = as(login);
  const code = () => totp(secrets.get(identityId) ?? '', app.clock.now());
  if (secrets.has(identityId)) return void (await own.authentication.authenticateMfa({ body: { code: code() } }));
  await own.currentMfa.enroll();
  const { provisioningUrl = '' } = await own.currentMfa.get();
  secrets.set(identityId, new URL(provisioningUrl).searchParams.get('secret') ?? '');
  await own.currentMfa.verify({ body: { code: code() } });
};

const inOrder = <T extends readonly [string, ...unknown[]]>(rows: readonly T[]): readonly T[] =>
  rows.toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Everything that users see, held against the model. */
export const assertAgree = async (model: Model, system: System): Promise<void> => {
  for (const login of model.logins) await assertServices(model, system, login);
  await assertSessions(model, system);
  const wishes = wishesIn(model);
  const wish = wishes[system.steps++ % Math.max(wishes.length, 1)];
  if (wish) await assertMay(model, system, wish);
};

/** What each login may do, which is too much to be asked after each step. */
export const assertAgreeInAll = async (model: Model, system: System): Promise<void> => {
  for (const wish of wishesIn(model)) await assertMay(model, system, wish);
};

/** What a client sees of services: those of which it has a right, which, and how each policy and each of its checks stands. */
const assertServices = async (model: Model, { as }: System, login: Login): Promise<void> => {
  const work = () => as(login).accessibleServices.list({ limit: 500 });
  login.usedAt = model.now;
  if (login.owesCode) return assert.equal(await outcomeOf(work), 'UNAUTHORIZED');
  const seen = (await work()).data.map(
    ({ id, name, permissions, postureQueries }) =>
      [
        id,
        name,
        permissions,
        inOrder(
          (postureQueries ?? []).map(
            ({ policyId, policyType, isPassing, postureQueries: queries }) =>
              [policyId, policyType, isPassing, inOrder((queries ?? []).map((query) => [query.id, query.isPassing] as const))] as const,
          ),
        ),
      ] as const,
  );
  const expected = model.services.flatMap((service) => {
    const policies = policiesBetween(model, identityOf(model, login), service);
    if (policies.length === 0) return [];
    const queries = policies.map(
      (policy) =>
        [
          policy.id,
          policy.type,
          policyPasses(model, login, policy),
          inOrder(checksOf(model, policy).map((check) => [check.id, isPassing(model, login, check)] as const)),
        ] as const,
    );
    return [[service.id, service.name, RIGHTS.filter((right) => policies.some(({ type }) => type === right)), inOrder(queries)] as const];
  });
  assert.deepEqual(inOrder(seen), inOrder(expected), 'services that a client sees');
};

/** Sessions that go on, with the routers by which they do. */
const assertSessions = async (model: Model, { app }: System): Promise<void> => {
  const { data, pagination } = await app.controller.api.sessions.list({ limit: 500 });
  assert.equal(pagination.totalCount, data.length);
  const seen = data.map(
    ({ id, apiSessionId, serviceId, type, edgeRouters }) =>
      [id, [apiSessionId, serviceId, type], (edgeRouters ?? []).map(({ name }) => name).toSorted()] as const,
  );
  const expected = model.sessions.flatMap(({ id, loginId, serviceId, type }) => {
    const login = model.logins.find((one) => one.id === loginId);
    const service = model.services.find((one) => one.id === serviceId);
    if (!login || !service) return [];
    const routers = commonRouters(model, identityOf(model, login), service);
    return [[id, [loginId, serviceId, type], routers.map(({ name }) => name).toSorted()] as const];
  });
  assert.deepEqual(inOrder(seen), inOrder(expected), 'sessions that go on');
};

/** Whether a session may be had, for which there must be a right, posture and a router. */
const assertMay = async (model: Model, { app }: System, { login, service, type }: Wish): Promise<void> => {
  const identity = identityOf(model, login);
  const {
    isAllowed,
    isPermitted,
    commonRouters: routers,
  } = await app.controller.api.access.explain({
    identityId: identity.id,
    serviceId: service.id,
    type,
    apiSessionId: login.id,
  });
  assert.deepEqual(
    { isAllowed, isPermitted, routers: routers.map(({ id }) => id).toSorted() },
    {
      isAllowed: isGranted(model, login, service, type),
      isPermitted: policiesBetween(model, identity, service).some((policy) => policy.type === type),
      routers: commonRouters(model, identity, service)
        .map(({ id }) => id)
        .toSorted(),
    },
    `what explains ${type}`,
  );
};
