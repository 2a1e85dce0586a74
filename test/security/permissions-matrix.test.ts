/** Every operation by every permission, with and without a scope, on the own identity, one in scope, one outside, one with more rights and an administrator. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUDITOR } from '../../src/api/permissions.ts';
import { giveToken } from '../support/api-tokens.ts';
import { type Answer, type App, openApp, PASSWORD } from '../support/app.ts';
import { aCa } from '../support/certificates.ts';
import { network } from '../support/network.ts';
import { policyBody } from '../support/policies.ts';
import { certificateSigner } from '../support/provider.ts';
import { matrix, type Row, SCOPED, scopesOn, type Target } from './permissions-matrix-table.ts';
import { allows, names, needed } from './permissions-table.ts';
import { bodyOf } from './rights-bodies.ts';
import { forbidden } from './rights-table.ts';

const PREFIXES = {
  management: '/edge/management/v1',
  client: '/edge/client/v1',
  extensions: '/edge/management/extensions/v1',
  fabric: '/fabric/v1',
} as const;
const LATER = '2099-01-01T00:00:00.000Z';
const TEAM = { roleAttributes: ['team-a'] };
/** Rights that no single permission includes. */
const MORE = ['ca.delete', 'terminator.delete'];

const CLASSES = ['own', 'inside', 'outside', 'protected', 'administrator'] as const;
type Class = (typeof CLASSES)[number];
type User = Awaited<ReturnType<App['user']>>;

const FIELDS: Readonly<Record<Exclude<Class, 'own'>, Readonly<Record<string, unknown>>>> = {
  inside: TEAM,
  outside: { roleAttributes: ['team-b'] },
  protected: { ...TEAM, permissions: MORE },
  administrator: { ...TEAM, isAdmin: true },
};

/** What a session that has the right to none of the operations gets from those on sessions, which are open to owners. */
const OF_OWNERS: Readonly<Record<string, string>> = { 'GET /sessions/{id}': 'ops.read', 'DELETE /sessions/{id}': 'ops.delete' };
const lineOf = ({ method, path }: Pick<Row, 'method' | 'path'>) => `${method} ${path}`;
const keyOf = (row: Pick<Row, 'api' | 'method' | 'path'>) => `${row.api} ${lineOf(row)}`;
const needs = new Map(needed.map((operation) => [keyOf(operation), operation.needs ?? '']));

test('every operation that takes a right has its row in the matrix, and the matrix has no other', () => {
  const rows = matrix.filter((row) => !(lineOf(row) in OF_OWNERS)).map(keyOf);
  assert.deepEqual(rows.toSorted(), [...needs.keys()].toSorted());
});

let serial = 0;

/** What there is of an owner, by what an operation names. */
const holdings = (app: App, service: string): Readonly<Record<Target, (owner: User, isInside: boolean) => Promise<string>>> => ({
  identity: async ({ id }) => id,
  enrollment: ({ id }) => app.create('/enrollments', { identityId: id, method: 'ott', expiresAt: LATER }),
  apiSession: async ({ username }) => (await app.login(username, PASSWORD)).body.data.id,
  session: async ({ username }) => {
    const login = `${PREFIXES.client}/authenticate?method=password`;
    const { body } = await app.request('POST', login, { as: null, body: { username, password: PASSWORD } });
    const sessionBody = { serviceId: service, type: 'Dial' };
    return (await app.request('POST', `${PREFIXES.client}/sessions`, { as: body.data.token, body: sessionBody })).body.data.id;
  },
  authenticator: async ({ authenticatorId }) => authenticatorId,
  apiToken: async ({ id }) => (await giveToken(app, id)).id,
  authPolicy: async ({ id }) => {
    const policy = await app.create('/auth-policies', policyBody(`policy ${++serial}`));
    assert.equal((await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId: policy } })).status, 200);
    return policy;
  },
  signer: async ({ id }) => {
    const signer = await certificateSigner(app, { useExternalId: true });
    const extJwt = { allowedSigners: [signer.id] };
    const authPolicyId = await app.create('/auth-policies', policyBody(`policy ${++serial}`, { extJwt }));
    assert.equal((await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId } })).status, 200);
    return signer.id;
  },
  ca: async ({ id }) => {
    const own = await aCa(app);
    await app.create('/authenticators', { identityId: id, method: 'cert', certPem: (await own.issue('device')).cert });
    return own.id;
  },
  service: (_owner, isInside) => app.create('/services', { name: `s${++serial}`, encryptionRequired: true, ...(isInside ? TEAM : {}) }),
  router: (_owner, isInside) => app.create('/edge-routers', { name: `r${++serial}`, ...(isInside ? TEAM : {}) }),
  postureCheck: (_owner, isInside) =>
    app.create('/posture-checks', { name: `p${++serial}`, typeId: 'DOMAIN', domains: ['a.example'], ...(isInside ? TEAM : {}) }),
});

type Outcome = 'noRight' | 'done' | 'forAdministrators' | 'usedOrForAdministrators' | 'notFound' | 'empty' | 'beyond';

/** What the contract says of a caller that has the right. */
const outcomeOf = ({ effect, target }: Row, target_: Class, isScoped: boolean): Outcome => {
  const has: Class = isScoped && target_ === 'own' ? 'protected' : target_; // its own scope is more than it holds for all
  if (isScoped && has === 'outside') return effect === 'create' ? 'beyond' : effect === 'secrets' ? 'empty' : 'notFound';
  if (effect === 'never') return 'forAdministrators';
  if (effect === 'read' || effect === 'open' || has === 'own' || has === 'inside' || has === 'outside') return 'done';
  if (effect === 'secrets') return 'empty';
  if (target === 'enrollment' && isScoped) return 'notFound';
  return effect === 'used' ? 'usedOrForAdministrators' : 'forAdministrators';
};

const isForAdministrators = ({ status, body }: Answer) => status === 401 && body.error?.cause?.code === 'UNHANDLED';

const assertOutcome: Readonly<Record<Outcome, (answer: Answer, row: Row, why: string) => void>> = {
  noRight: ({ status, body }, row, why) => {
    const line = lineOf(row);
    assert.equal(status, line in OF_OWNERS ? 404 : forbidden.includes(line) ? 403 : 401, why);
    assert.notEqual(body.error.cause?.code, line in OF_OWNERS ? 'none' : 'UNHANDLED', why);
  },
  done: (answer, { target }, why) => {
    assert.ok(answer.status < 500 && ![401, 403].includes(answer.status), why);
    if (target) assert.notEqual(answer.status, 404, why);
  },
  forAdministrators: (answer, _row, why) => assert.ok(isForAdministrators(answer), why),
  usedOrForAdministrators: (answer, _row, why) => assert.ok(answer.status === 409 || isForAdministrators(answer), why),
  notFound: ({ status }, _row, why) => assert.equal(status, 404, why),
  empty: ({ status, body }, _row, why) => assert.ok(status === 404 || (status === 200 && body.data.length === 0), why),
  beyond: ({ status }, _row, why) => assert.ok(status === 401 || status === 404, why),
};

test('each permission does to each target what the matrix says, and refused calls change nothing', async () => {
  await using app = await openApp('memory');
  const net = network(app);
  const service = await net.service('wiki', 'all');
  const config = await app.create('/configs', { name: 'c', configTypeId: await app.create('/config-types', { name: 't' }), data: {} });
  await app.alter('router', await net.router('edge', 'all'), { isVerified: true, fingerprint: 'abcdef' });
  await net.dial({ identities: ['#all'], services: ['#all'] });
  await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
  await net.routersOfServices({ services: ['#all'], routers: ['#all'] });
  const made = holdings(app, service);

  const shared = new Map<string, Promise<string>>();
  const targetOf = (target: Target, has: Exclude<Class, 'own'>, isFresh: boolean): Promise<string> => {
    const make = async () => made[target](await app.user(FIELDS[has]), has !== 'outside');
    if (isFresh) return make();
    const key = `${target} ${has}`;
    const id = shared.get(key) ?? make();
    shared.set(key, id);
    return id;
  };
  const bodyFor = ({ method, path }: Row, id: string): unknown => {
    if (path.endsWith('/service-configs') && method !== 'GET') return [{ serviceId: service, configId: config }];
    const body = bodyOf(method, path);
    if (path === '/enrollments' && method === 'POST') return { identityId: id, method: 'ott', expiresAt: LATER };
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    const unique = { name: `n${++serial}`, issuer: `https://n${serial}.example` };
    const named = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, name in unique ? unique[name as 'name'] : value]));
    const isScopable = /^\/(identities|services|edge-routers|posture-checks)(\/\{id\})?$/.test(path) && method !== 'PATCH';
    return { ...named, ...(isScopable ? TEAM : {}), ...(method === 'PATCH' ? { tags: { a: 'b' } } : {}) };
  };
  const call = (row: Row, id: string, as: string) => {
    const body = bodyFor(row, id);
    const sent = typeof body === 'string' ? { raw: body, headers: { 'content-type': 'text/plain' } } : { body };
    const path = row.path.replace('{serviceId}', service).replaceAll(/\{\w+\}/g, id);
    return app.request(row.method, `${PREFIXES[row.api]}${path}`, { ...sent, as });
  };
  const sharedRows = async () => {
    const ids = new Set(await Promise.all(shared.values()));
    const kinds = ['identity', 'enrollment', 'apiSession', 'session', 'authenticator', 'authPolicy', 'externalJwtSigner', 'ca'] as const;
    const rows = (await Promise.all(kinds.map((kind) => app.rows(kind)))).flat().filter(({ id }) => ids.has(id));
    return rows.map(({ lastActivityAt: _, ...row }) => JSON.stringify(row));
  };

  const scoped = names.filter((name) => SCOPED.includes(name.split('.')[0] ?? ''));
  const holders = [...names.map((name) => ({ name, isScoped: false })), ...scoped.map((name) => ({ name, isScoped: true }))];
  for (const target of Object.keys(made) as Target[]) for (const has of CLASSES) if (has !== 'own') await targetOf(target, has, false);
  const before = await sharedRows();

  for (const [i, { name, isScoped }] of holders.entries()) {
    const rights = isScoped ? { scopedPermissions: { [name]: TEAM } } : { permissions: [name] };
    const newHolder = async () => {
      const user = await app.user({ ...TEAM, ...rights });
      return { user, token: await user.login() };
    };
    const { token } = await newHolder();
    const entity = name.split('.')[0] ?? '';
    for (const [j, row] of matrix.entries()) {
      const { target, effect } = row;
      const need = needs.get(keyOf(row)) ?? OF_OWNERS[lineOf(row)] ?? '';
      const isAllowed = allows(name, need) && !(isScoped && row.isUnscoped);
      const why = (has: string, { status, text }: Answer) =>
        `${isScoped ? 'scoped ' : ''}${name}: ${keyOf(row)} on ${has}: ${status} ${text}`;
      // Each scope is tried on all operations of its kind; on all others, one action of its kind is.
      if (isScoped && !isAllowed && !need.startsWith(`${entity}.`) && (i + j) % 5 !== 0) continue;
      if (!target || !isAllowed) {
        const has = CLASSES[1 + ((i + j) % 4)] as Exclude<Class, 'own'>;
        const answer = await call(row, target ? await targetOf(target, has, false) : 'no-such-id', token);
        assertOutcome[isAllowed ? 'done' : 'noRight'](answer, row, why(has, answer));
        continue;
      }
      const isOnTarget =
        isScoped && [...scopesOn[target], ...(effect === 'secrets' || effect === 'create' ? ['enrollment'] : [])].includes(entity);
      for (const has of CLASSES) {
        const outcome = effect === 'beside' ? (name === AUDITOR ? 'done' : 'notFound') : outcomeOf(row, has, isOnTarget);
        const isFresh = row.method !== 'GET' && outcome === 'done';
        const own = has === 'own' ? await newHolder() : undefined;
        const id = own ? await made[target](own.user, true) : await targetOf(target, has as Exclude<Class, 'own'>, isFresh);
        const answer = await call(row, id, own?.token ?? token);
        assertOutcome[outcome](answer, row, why(has, answer));
      }
    }
  }
  assert.deepEqual(await sharedRows(), before);
});
