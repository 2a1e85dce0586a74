/** Every right, with and without a scope, on the own identity, one in scope, one outside, one with more rights and an administrator. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveToken } from '../support/api-tokens.ts';
import { type Answer, type App, openApp, PASSWORD } from '../support/app.ts';
import { aCa } from '../support/certificates.ts';
import { network } from '../support/network.ts';
import { type PolicyParts, policyBody } from '../support/policies.ts';
import { certificateSigner } from '../support/provider.ts';
import { begin } from '../support/sessions.ts';
import { bodyFor, isForAdministrators, LATER, loginAt, publishedBy, send } from './rights-calls.ts';
import { allowing, nameOf, type Operation, operations, PERMISSIONS, SCOPED, TARGETS, type Target } from './rights-table.ts';

const TEAM = { roleAttributes: ['team-a'] };
/** Rights that no single permission includes. */
const MORE = ['ca.delete', 'terminator.delete'];

const CLASSES = ['own', 'inside', 'outside', 'protected', 'administrator'] as const;
type Class = (typeof CLASSES)[number];
type User = Awaited<ReturnType<App['user']>>;

const FIELDS: Readonly<Record<Class, Readonly<Record<string, unknown>>>> = {
  own: TEAM,
  inside: TEAM,
  outside: { roleAttributes: ['team-b'] },
  protected: { ...TEAM, permissions: MORE },
  administrator: { ...TEAM, isAdmin: true },
};

let serial = 0;

/** Makes an entity of an owner, by its collection. */
const holdings = (app: App, service: string): Readonly<Record<Target, (owner: User, isInside: boolean) => Promise<string>>> => {
  const within = async (id: string, parts: PolicyParts = {}) => {
    const authPolicyId = await app.create('/auth-policies', policyBody(`policy ${++serial}`, parts));
    assert.equal((await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId } })).status, 200);
    return authPolicyId;
  };
  const create = (collection: string, fields: object) => (_: User, isInside: boolean) =>
    app.create(collection, { name: `e${++serial}`, ...fields, ...(isInside ? TEAM : {}) });
  return {
    identities: async ({ id }) => id,
    enrollments: ({ id }) => app.create('/enrollments', { identityId: id, method: 'ott', expiresAt: LATER }),
    'api-sessions': async ({ username }) => (await app.login(username, PASSWORD)).body.data.id,
    sessions: async ({ username }) => begin(app, { as: await loginAt(app, 'client', username) }, service),
    authenticators: async ({ authenticatorId }) => authenticatorId,
    'api-tokens': async ({ id }) => (await giveToken(app, id)).id,
    'auth-policies': ({ id }) => within(id),
    'external-jwt-signers': async ({ id }) => {
      const signer = await certificateSigner(app, { useExternalId: true });
      await within(id, { extJwt: { allowedSigners: [signer.id] } });
      return signer.id;
    },
    cas: async ({ id }) => {
      const own = await aCa(app);
      await app.create('/authenticators', { identityId: id, method: 'cert', certPem: (await own.issue('device')).cert });
      return own.id;
    },
    services: create('/services', { encryptionRequired: true }),
    'edge-routers': create('/edge-routers', {}),
    'posture-checks': create('/posture-checks', { typeId: 'DOMAIN', domains: ['a.example'] }),
  };
};

type Outcome = 'noRight' | 'done' | 'forAdministrators' | 'usedOrForAdministrators' | 'notFound' | 'empty' | 'beyond';

/** The contract for a caller that has the right. @param scope the kind of a scope on the entity */
const outcomeOf = ({ effect, target }: Operation, onto: Class, isScoped: boolean): Outcome => {
  const has: Class = isScoped && onto === 'own' ? 'protected' : onto; // its own scope is more than it holds for all
  if (isScoped && has === 'outside') return effect === 'create' ? 'beyond' : effect === 'secrets' ? 'empty' : 'notFound';
  if (effect === 'never') return 'forAdministrators';
  if (effect === 'read' || has === 'own' || has === 'inside' || has === 'outside') return 'done';
  if (effect === 'secrets') return 'empty';
  if (target === 'enrollments' && isScoped) return 'notFound';
  return effect === 'used' ? 'usedOrForAdministrators' : 'forAdministrators';
};

const assertOutcome: Readonly<Record<Outcome, (answer: Answer, operation: Operation, why: string) => void>> = {
  noRight: (answer, { refusal }, why) => {
    assert.equal(answer.status, refusal, why);
    assert.ok(!isForAdministrators(answer), why);
  },
  done: (answer, { target }, why) => {
    assert.ok(answer.status < 500 && ![401, 403].includes(answer.status), why);
    if (target) assert.notEqual(answer.status, 404, why);
  },
  forAdministrators: (answer, _operation, why) => assert.ok(isForAdministrators(answer), why),
  usedOrForAdministrators: (answer, _operation, why) => assert.ok(answer.status === 409 || isForAdministrators(answer), why),
  notFound: ({ status }, _operation, why) => assert.equal(status, 404, why),
  empty: ({ status, body }, _operation, why) => assert.ok(status === 404 || (status === 200 && body.data.length === 0), why),
  beyond: ({ status }, _operation, why) => assert.ok(status === 401 || status === 404, why),
};

test('each right does to each entity what the table says, and refused calls change nothing', async () => {
  await using app = await openApp('memory');
  const document = await publishedBy(app);
  const net = network(app);
  const service = await net.service('wiki', 'all');
  const config = await app.create('/configs', { name: 'c', configTypeId: await app.create('/config-types', { name: 't' }), data: {} });
  await app.alter('router', await net.router('edge', 'all'), { isVerified: true, fingerprint: 'abcdef' });
  await net.dial({ identities: ['#all'], services: ['#all'] });
  await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
  await net.routersOfServices({ services: ['#all'], routers: ['#all'] });
  const made = holdings(app, service);

  const shared = new Map<string, string>();
  const targetOf = async (target: Target, has: Class, isFresh: boolean): Promise<string> => {
    const known = shared.get(`${target} ${has}`);
    if (known && !isFresh) return known;
    return made[target](await app.user(FIELDS[has]), has !== 'outside');
  };
  for (const target of TARGETS)
    for (const has of CLASSES) if (has !== 'own') shared.set(`${target} ${has}`, await targetOf(target, has, true));
  const sharedRows = async () => {
    const kinds = ['identity', 'enrollment', 'apiSession', 'session', 'authenticator', 'authPolicy', 'externalJwtSigner', 'ca'] as const;
    const rows = (await Promise.all(kinds.map((kind) => app.rows(kind)))).flat();
    const ids = new Set(shared.values());
    return rows.filter(({ id }) => ids.has(id)).map(({ lastActivityAt: _, ...row }) => JSON.stringify(row));
  };
  const before = await sharedRows();

  const bodyOf = (operation: Operation, id: string): unknown => {
    const { method, path } = operation;
    const body = bodyFor(document, operation);
    if (path.endsWith('/service-configs') && method !== 'GET') return [{ serviceId: service, configId: config }];
    if (path === '/enrollments' && method === 'POST') return { identityId: id, method: 'ott', expiresAt: LATER };
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    const unique = { name: `n${++serial}`, issuer: `https://n${serial}.example` };
    const named = Object.fromEntries(Object.entries(unique).filter(([name]) => name in body));
    const isScopable = /^\/(identities|services|edge-routers|posture-checks)(\/\{id\})?$/.test(path) && method !== 'PATCH';
    return { ...body, ...named, ...(isScopable ? TEAM : {}), ...(method === 'PATCH' ? { tags: { a: 'b' } } : {}) };
  };
  const call = (operation: Operation, id: string, as: string): Promise<Answer> =>
    send(app, { ...operation, path: operation.path.replace('{serviceId}', service) }, bodyOf(operation, id), id, { as });

  const tokens = new Map<string, string>();
  const newHolder = async (names: readonly string[], isScoped: boolean) => {
    const scopedPermissions = Object.fromEntries(names.map((name) => [name, TEAM]));
    const user = await app.user({ ...TEAM, ...(isScoped ? { scopedPermissions } : { permissions: names }) });
    return { user, token: await user.login() };
  };
  const tokenOf = async (names: readonly string[], isScoped: boolean): Promise<string> => {
    const key = `${names} ${isScoped}`;
    const token = tokens.get(key) ?? (await newHolder(names, isScoped)).token;
    tokens.set(key, token);
    return token;
  };
  const isScopable = (name: string) => (name.split('.')[0] ?? '') in SCOPED;

  for (const operation of operations) {
    const { right, target, effect, isUnscoped, who } = operation;
    if (right === 'none') continue;
    const names = allowing(right);
    const ask = async (outcome: Outcome, holder: readonly string[], isScoped: boolean, has: Class) => {
      const own = has === 'own' ? await newHolder(holder, isScoped) : undefined;
      const isFresh = operation.method !== 'GET' && outcome === 'done';
      const id = own && target ? await made[target](own.user, true) : target ? await targetOf(target, has, isFresh) : 'no-such-id';
      const answer = await call(operation, id, own?.token ?? (await tokenOf(holder, isScoped)));
      const why = `${isScoped ? 'scoped ' : ''}${holder}: ${nameOf(operation)} on ${has}: ${answer.status} ${answer.text}`;
      assertOutcome[outcome](answer, operation, why);
    };
    // Sessions are open to their owners.
    if (who === 'right')
      for (const has of CLASSES) {
        const without = PERMISSIONS.filter((name) => isScopable(name) && (isUnscoped || !names.includes(name)));
        if (has !== 'own') await ask('noRight', without, true, has);
      }
    for (const name of names)
      for (const isScoped of isScopable(name) && !isUnscoped ? [false, true] : [false]) {
        const kind = name.split('.')[0] ?? '';
        const kinds = effect === 'secrets' || effect === 'create' ? ['enrollment'] : [];
        const isOnTarget = isScoped && target !== undefined && (SCOPED[kind]?.includes(target) || kinds.includes(kind));
        for (const has of target ? CLASSES : (['inside'] as const)) {
          const outcome = effect === 'beside' ? (name === 'admin_readonly' ? 'done' : 'notFound') : outcomeOf(operation, has, isOnTarget);
          await ask(target ? outcome : 'done', [name], isScoped, has);
        }
      }
  }
  assert.deepEqual(await sharedRows(), before);
});
