/**
 * A caller that has its rights from the host's rule alone must not reach administrators, and one that is limited to some identities must
 * not reach others: by no operation that writes, whatever it names.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostRule } from '../../src/call/pipeline/host-rule.ts';
import { groups } from '../../src/contract/api/index.ts';
import type { KindName } from '../../src/contract/api/kind-names.ts';
import type { Operation } from '../../src/contract/api/kit/operation.ts';
import { ApiError } from '../../src/contract/errors/index.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { caBody } from '../support/certificates.ts';
import { enrollMfa } from '../support/mfa.ts';
import { network } from '../support/network.ts';
import { claimsOf, tokensOf } from '../support/oidc.ts';
import { authority } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';

const DESK = { actor: 'sso:desk' };
const LATER = '2099-01-01T00:00:00.000Z';
const rejects = (work: Promise<unknown>, code: string) =>
  assert.rejects(work, (error: unknown) => error instanceof ApiError && error.code === code);

/** An identity that has all that an identity can have. */
const victimOf = async (app: App, isAdmin: boolean, service: string) => {
  const { controller } = app;
  const { id, username, authenticatorId, login } = await app.user({ isAdmin, roleAttributes: ['team-b'] });
  await controller.api.enrollments.create({ body: { identityId: id, method: 'ott', expiresAt: LATER } });
  const first = await app.login(username, PASSWORD);
  const tokens = await tokensOf(app, username);
  const { body } = await app.request('POST', '/edge/client/v1/sessions', {
    as: first.body.data.token,
    body: { serviceId: service, type: 'Dial' },
  });
  await controller.api.identities.trace({ id, body: { enabled: true, traceId: 'own', duration: '5m' } });
  await enrollMfa(app, first.body.data.token);
  const [enrollment] = (await controller.api.identities.listEnrollments({ id })).data;
  const expiresAt = new Date(app.clock.now() + 86_400_000).toISOString();
  const apiToken = await controller.api.apiTokens.create({ body: { identityId: id, name: 'own', expiresAt } });
  assert.ok(enrollment && body.data.id);
  return {
    id,
    username,
    /** Another one like it, that cannot log in yet. */
    bare: await app.create('/identities', { name: 'bare', type: 'User', isAdmin, roleAttributes: ['team-b'] }),
    authenticator: authenticatorId,
    enrollment: enrollment.id,
    apiToken: apiToken.id,
    expiresAt,
    apiSession: String(first.body.data.id),
    session: String(body.data.id),
    bearer: claimsOf(tokens.access_token),
    refresh: claimsOf(tokens.refresh_token),
    login,
  };
};

const ground = async (app: App, isAdmin: boolean) => {
  const { controller } = app;
  const service = await app.create('/services', { name: 'wiki', encryptionRequired: true, roleAttributes: ['all'] });
  const type = await app.create('/config-types', { name: 'type' });
  const config = await app.create('/configs', { name: 'config', configTypeId: type, data: {} });
  const router = await app.create('/edge-routers', { name: 'edge' });
  await app.alter('router', router, { isVerified: true, fingerprint: 'abcdef' });
  const net = network(app);
  await net.dial({ identities: ['#all'], services: ['#all'] });
  await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
  await net.routersOfServices({ services: ['#all'], routers: ['#all'] });
  const ca = await app.create('/cas', caBody('ca', (await authority('ca')).cert));
  const signer = await app.create('/external-jwt-signers', {
    name: 'signer',
    issuer: 'https://issuer.example',
    audience: 'us',
    enabled: true,
    jwksEndpoint: 'https://issuer.example/keys',
  });
  const policy = (await controller.api.authPolicies.create({ body: policyBody('theirs') as never })).id;
  const victim = await victimOf(app, isAdmin, service);
  await controller.api.identities.patch({ id: victim.id, body: { authPolicyId: policy } });
  const { revision } = await controller.api.state.plan({ body: { document: {} } });
  return { victim, service, config, ca, signer, policy, revision };
};
type Ground = Awaited<ReturnType<typeof ground>>;

/** Calls that would change something of somebody, by operation. */
const attempts = ({ victim, service, config, policy, revision }: Ground): Readonly<Record<string, readonly object[]>> => {
  const { id, username, bare, authenticator, enrollment, apiToken, expiresAt, apiSession, session, bearer, refresh } = victim;
  const person = { name: 'stolen', type: 'User', isAdmin: false } as const;
  const password = { username: 'stolen', password: 'Another1!Another1!' };
  const pairs = [{ serviceId: service, configId: config }];
  return {
    // First, because a plan is for a revision.
    'state.apply': [{ body: { revision, operations: [{ operation: 'identities.patch', input: { id, body: { tags: { b: 'c' } } } }] } }],
    'state.applyLines': [{ body: JSON.stringify({ identities: { name: username, tags: { b: 'd' } } }) }],
    'sessions.delete': [{ id: session }],
    'apiSessions.delete': [{ id: apiSession }, { id: bearer.z_asid }],
    'liveApiSessions.delete': [{ id: apiSession }, { id: bearer.z_asid }],
    'enrollments.create': [{ body: { identityId: bare, method: 'ott', expiresAt: LATER } }],
    'enrollments.refresh': [{ id: enrollment, body: { expiresAt: LATER } }],
    'enrollments.delete': [{ id: enrollment }],
    'apiTokens.create': [{ body: { identityId: id, name: 'stolen', expiresAt } }],
    'apiTokens.patch': [{ id: apiToken, body: { name: 'stolen' } }],
    'apiTokens.rotate': [{ id: apiToken, body: { overlapMinutes: 0 } }],
    'apiTokens.delete': [{ id: apiToken }],
    'identities.replace': [{ id, body: person }],
    'identities.patch': [
      { id, body: { externalId: 'e' } },
      { id, body: { isAdmin: false } },
      { id, body: { authPolicyId: 'default' } },
      { id, body: { tags: { a: 'b' } } },
    ],
    'identities.trace': [
      { id, body: { enabled: true } },
      { id, body: { enabled: false } },
    ],
    'identities.addRoleAttributes': [{ id, body: { roleAttributes: ['x'] } }],
    'identities.removeRoleAttributes': [{ id, body: { roleAttributes: ['x'] } }],
    'identities.disable': [{ id, body: { durationMinutes: 0 } }],
    'identities.enable': [{ id }],
    'identities.deleteMfa': [{ id }],
    'identities.assignServiceConfigs': [{ id, body: pairs }],
    'identities.removeServiceConfigs': [{ id, body: pairs }],
    'authenticators.create': [{ body: { identityId: bare, method: 'updb', ...password } }],
    'authenticators.replace': [{ id: authenticator, body: { ...password, username: 'taken' } }],
    'authenticators.patch': [
      { id: authenticator, body: { password: password.password } },
      { id: authenticator, body: { tags: { a: 'b' } } },
    ],
    'authenticators.requestExtend': [{ id: authenticator, body: {} }],
    'authenticators.reEnroll': [{ id: authenticator, body: { expiresAt: LATER } }],
    'authenticators.delete': [{ id: authenticator }],
    'revocations.create': [
      { body: { id, type: 'IDENTITY' } },
      { body: { id: bearer.z_asid, type: 'API_SESSION' } },
      { body: { id: bearer.jti, type: 'JTI' } },
      { body: { id: refresh.jti, type: 'JTI' } },
    ],
    'authPolicies.replace': [{ id: policy, body: policyBody('stolen') }],
    'authPolicies.patch': [{ id: policy, body: { primary: { updb: { allowed: false } } } }],
    'identities.delete': [{ id }],
    // Refused to everybody while somebody uses it.
    'authPolicies.delete': [{ id: policy }],
  };
};

/** Operations that change nothing of an identity but what follows from the policies, services and routers that they are about. */
const OF_OTHER_KINDS =
  /^(services|servicePolicies|policyTests|edgeRouterPolicies|serviceEdgeRouterPolicies|postureChecks|edgeRouters|routers|transitRouters|terminators|fabricRouters|fabricServices|fabricTerminators|configTypes|configs|links|circuits|networkEvents|validations|database)\./;
/** They vouch for identities, and only administrators change them (below). */
const OF_AUTHORITIES = /^(cas|externalJwtSigners)\./;
/** They make something that belongs to nobody yet. */
const NEW = ['identities.create', 'authPolicies.create'];
/** They carry out other operations, each of which is authorized by its own right. */
const OF_OTHERS = ['history.revert'];

/** What the store has of an identity: all rows that name it or that its logins hang on. */
const holdingsOf = async (app: App, { victim, policy, ca, signer }: Ground): Promise<readonly string[]> => {
  const kinds: readonly KindName[] = [
    'identity',
    'authenticator',
    'enrollment',
    'apiSession',
    'session',
    'mfa',
    'serviceConfig',
    'trace',
    'revocation',
    'apiToken',
  ];
  const rows = [];
  for (const kind of kinds)
    for (const row of await app.rows(kind))
      if ([victim.id, victim.bare].some((id) => row.id === id || row.identityId === id) || kind === 'revocation')
        rows.push(JSON.stringify([kind, row]));
  for (const [kind, id] of [
    ['authPolicy', policy],
    ['ca', ca],
    ['externalJwtSigner', signer],
  ] as const)
    rows.push(JSON.stringify((await app.rows(kind)).find((row) => row.id === id)));
  return rows.sort();
};

/** Tries everything, and says what came through. */
const attack = async (app: App, all: Ground, isLeftOut: (name: string) => boolean = () => false): Promise<readonly string[]> => {
  const reached: string[] = [];
  let before = await holdingsOf(app, all);
  for (const [name, inputs] of Object.entries(attempts(all))) {
    if (isLeftOut(name)) continue;
    const [group = '', verb = ''] = name.split('.');
    const facade = app.controller.api[group as 'identities'] as unknown as Record<
      string,
      (input: object, options: object) => Promise<unknown>
    >;
    for (const input of inputs) {
      const error: unknown = await facade[verb]?.(input, DESK).catch((error: unknown) => error);
      const after = await holdingsOf(app, all);
      // In a document, an identity that the caller may not see is a new one, whose name another one has.
      const isTaken = name === 'state.applyLines' && String(error).includes('name must be unique');
      const isRefused =
        error instanceof ApiError && (isTaken || ['UNAUTHORIZED', 'NOT_FOUND', 'CAN_NOT_DELETE_REFERENCED_ENTITY'].includes(error.code));
      if (!isRefused || JSON.stringify(after) !== JSON.stringify(before)) reached.push(`${name} ${JSON.stringify(input)} ${error}`);
      before = after;
    }
  }
  return reached;
};

onEveryStore('a delegate reaches an administrator', (open) => {
  test('revoking an administrator who has no session', async () => {
    await using app = await open({ authorize: ({ actor }) => (actor.name === DESK.actor ? true : undefined) });
    const { identities, revocations } = app.controller.api;
    const boss = (await identities.create({ body: { name: 'boss', type: 'User', isAdmin: true } })).id;
    const ann = (await identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } })).id;
    await rejects(revocations.create({ body: { id: boss, type: 'IDENTITY' } }, DESK), 'UNAUTHORIZED');
    assert.deepEqual(await app.rows('revocation'), []);
    await revocations.create({ body: { id: ann, type: 'IDENTITY' } }, DESK);
    assert.deepEqual(
      (await app.rows('revocation')).map(({ id }) => id),
      [ann],
    );
    // Of a token that is not known it cannot be said that it is no administrator's.
    for (const type of ['JTI', 'API_SESSION'] as const)
      await rejects(revocations.create({ body: { id: '5b0d2a3c-6c1f-4d53-9d0c-0a3b7e2f9a11', type } }, DESK), 'UNAUTHORIZED');
    await revocations.create({ body: { id: boss, type: 'IDENTITY' } });
  });

  test('every operation that writes, aimed at an administrator', async () => {
    await using app = await open({ authorize: ({ actor }) => (actor.name === DESK.actor ? true : undefined) });
    assert.deepEqual(await attack(app, await ground(app, true)), []);
  });

  test('every operation that writes, aimed at an identity beyond the limit', async () => {
    const rule: HostRule = ({ actor, right }) =>
      actor.name !== DESK.actor ? undefined : right?.startsWith('identity.') ? { where: 'anyOf(roleAttributes) = "team-a"' } : true;
    await using app = await open({ authorize: rule });
    // An authentication policy is of all who use it, and the right to change it was given without a limit.
    assert.deepEqual(await attack(app, await ground(app, false), (name) => name.startsWith('authPolicies.')), []);
  });

  test('an identity that the caller may see and not change', async () => {
    const rule: HostRule = ({ actor, right }) =>
      actor.name !== DESK.actor
        ? undefined
        : right === 'identity.update' || right === 'identity.delete'
          ? { where: 'name = "none"' }
          : true;
    await using app = await open({ authorize: rule });
    assert.deepEqual(await attack(app, await ground(app, false), (name) => name.startsWith('authPolicies.')), []);
  });

  test('the same calls have an effect where they are allowed', async () => {
    await using app = await open({ authorize: ({ actor }) => (actor.name === DESK.actor ? true : undefined) });
    const all = await ground(app, false);
    const reached = await attack(app, all);
    // What one of them ends, the next one does not find.
    const names = new Set(reached.filter((each) => each.endsWith(' [object Object]')).map((each) => each.split(' ')[0]));
    const missing = Object.keys(attempts(all)).filter((name) => !names.has(name));
    assert.deepEqual(
      missing,
      ['authenticators.requestExtend', 'authenticators.delete'],
      'it is a password, and was replaced by an enrollment',
    );
  });

  test('who sees sessions without one of their own needs the right to those of everybody', async () => {
    const asked: unknown[] = [];
    const rule: HostRule = ({ actor, operation, right }) => {
      if (actor.name !== DESK.actor) return undefined;
      asked.push([operation, right]);
      return right === undefined ? undefined : false;
    };
    await using app = await open({ authorize: rule });
    const { victim } = await ground(app, true);
    const { sessions } = app.controller.api;
    await rejects(sessions.list({}, DESK), 'UNAUTHORIZED');
    await rejects(sessions.get({ id: victim.session }, DESK), 'UNAUTHORIZED');
    await rejects(sessions.delete({ id: victim.session }, DESK), 'UNAUTHORIZED');
    assert.deepEqual(asked, [
      ['sessions.list', 'ops.read'],
      ['sessions.get', 'ops.read'],
      ['sessions.delete', 'ops.delete'],
    ]);
    assert.equal((await sessions.list({})).pagination.totalCount, 1);
  });

  test('authorities and signers, which vouch for administrators, too', async () => {
    await using app = await open({ authorize: ({ actor }) => (actor.name === DESK.actor ? true : undefined) });
    const all = await ground(app, true);
    const { cas, externalJwtSigners } = app.controller.api;
    const before = await holdingsOf(app, all);
    const signer = {
      name: 'other',
      issuer: 'https://other.example',
      audience: 'us',
      enabled: true,
      jwksEndpoint: 'https://other.example/keys',
    };
    const other = caBody('other', (await authority('other')).cert);
    const { certPem: _, ...flags } = other as { readonly certPem: string };
    for (const work of [
      () => cas.create({ body: other as never }, DESK),
      () => cas.replace({ id: all.ca, body: { ...flags, identityNameFormat: '' } as never }, DESK),
      () => cas.patch({ id: all.ca, body: { isAuthEnabled: false } }, DESK),
      () => cas.delete({ id: all.ca }, DESK),
      () => externalJwtSigners.create({ body: signer }, DESK),
      () => externalJwtSigners.replace({ id: all.signer, body: signer }, DESK),
      () => externalJwtSigners.patch({ id: all.signer, body: { enabled: false } }, DESK),
      () => externalJwtSigners.delete({ id: all.signer }, DESK),
    ])
      await rejects(work(), 'UNAUTHORIZED');
    assert.deepEqual(await holdingsOf(app, all), before);
  });
});

test('every operation that takes a right to write is among the attempts, or is about something else', () => {
  const tried = attempts({ victim: { bearer: {}, refresh: {} } } as Ground);
  const writes = Object.entries(groups).flatMap(([group, { operations }]) =>
    Object.entries(operations as Readonly<Record<string, Operation>>).flatMap(([verb, { permission }]) =>
      /\.(create|update|delete)$/.test(permission) ? [`${group}.${verb}`] : [],
    ),
  );
  const forgotten = writes.filter(
    (name) => !(name in tried || OF_OTHER_KINDS.test(name) || OF_AUTHORITIES.test(name) || NEW.includes(name) || OF_OTHERS.includes(name)),
  );
  assert.deepEqual(forgotten, [], 'try them in `attempts`, or say in `OF_OTHER_KINDS` that they are about no identity');
});
