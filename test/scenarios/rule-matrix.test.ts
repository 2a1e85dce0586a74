/**
 * What a host's rule answers, by every way in which a call reaches it: over HTTP, by the facade, in a transaction of the host, with an
 * input that a hook has replaced, and with an acting identity or a target that changes between the rule and the write.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hooks } from '../../src/call/pipeline/hooks.ts';
import type { AuthorizationRequest, Verdict } from '../../src/call/pipeline/host-rule.ts';
import type { KindName } from '../../src/contract/api/kind-names.ts';
import { ApiError } from '../../src/contract/errors/index.ts';
import { type App, openApp, PASSWORD } from '../support/app.ts';
import { caBody } from '../support/certificates.ts';
import { byEndpoint } from '../support/external-jwt-signers.ts';
import { authority } from '../support/pki.ts';
import { newHostedStorage, stores } from '../support/stores.ts';

const DESK = { actor: 'sso:desk' };

/** What the host's own code does at the moment: settings of a test. */
interface Host {
  verdict: Verdict;
  /** Runs once, while the rule decides. */
  meanwhile: (() => Promise<unknown>) | undefined;
  /** What the hook makes of the input. */
  replaced: object | undefined;
  readonly asked: AuthorizationRequest[];
}

type Verb = 'create' | 'replace' | 'patch' | 'delete' | 'disable' | 'get';
type Call = (group: Group, verb: Verb, input: Input) => Promise<unknown>;
type Group = 'identities' | 'authenticators' | 'apiSessions' | 'enrollments' | 'externalJwtSigners' | 'cas' | 'edgeRouters' | 'terminators';
interface Input {
  readonly id?: string;
  readonly body?: object;
}

const METHODS = { create: 'POST', replace: 'PUT', patch: 'PATCH', delete: 'DELETE', disable: 'POST', get: 'GET' } as const;
const PATHS: Readonly<Record<Group, string>> = {
  identities: '/identities',
  authenticators: '/authenticators',
  apiSessions: '/api-sessions',
  enrollments: '/enrollments',
  externalJwtSigners: '/external-jwt-signers',
  cas: '/cas',
  edgeRouters: '/edge-routers',
  terminators: '/terminators',
};

const openHosted = async (store: string) => {
  const hosted = newHostedStorage(store);
  const host: Host = { verdict: undefined, meanwhile: undefined, replaced: undefined, asked: [] };
  const isCaller = ({ actor }: Pick<AuthorizationRequest, 'actor'>) => actor.name === DESK.actor || actor.identity?.externalId === 'desk';
  const authorize = async (request: AuthorizationRequest): Promise<Verdict> => {
    if (!isCaller(request) || request.right === undefined || request.about !== 'call') return undefined;
    host.asked.push(request);
    const happens = host.meanwhile;
    host.meanwhile = undefined;
    await happens?.();
    return host.verdict;
  };
  const hooks: Hooks = { before: (_operation, _input, call) => (isCaller({ actor: call.actor }) ? host.replaced : undefined) };
  const app = await openApp(store, { storage: hosted.storage, authorize, hooks });
  const desk = await app.user({ externalId: 'desk', roleAttributes: ['team-a'] });
  const token = await desk.login();
  const facade: (of: object, options?: object) => Call = (of, options) => (group, verb, input) =>
    (of as Record<Group, Record<string, (input: Input, options?: object) => Promise<unknown>>>)[group][verb]?.(input, options) ??
    assert.fail(`no ${group}.${verb}`);
  const plain = facade(app.controller.as(token));
  const ways: Readonly<Record<string, Call>> = {
    HTTP: async (group, verb, { id, body }) => {
      const path = [PATHS[group], ...(id === undefined ? [] : [id]), ...(verb === 'disable' ? ['disable'] : [])].join('/');
      const { status, body: answer } = await app.request(METHODS[verb], path, { as: token, ...(body ? { body } : {}) });
      if (status >= 300) throw new ApiError(answer.error.code);
    },
    'the facade, in a session': plain,
    'the facade, for an identity': facade(app.controller.asIdentity(desk.id)),
    'the facade, for somebody of the host': facade(app.controller.api, DESK),
    'a transaction of the host': async (...call) =>
      hosted.transaction(async (transaction) => void (await facade(app.controller.api, { ...DESK, transaction })(...call))),
    'an input that a hook replaced': async (group, verb, input) => {
      const harmless = input.body === undefined ? { id: desk.id } : input;
      host.replaced = input;
      await facade(app.controller.api, DESK)(group, verb, harmless).finally(() => {
        host.replaced = undefined;
      });
    },
    'an acting identity that changed meanwhile': async (...call) => {
      host.meanwhile = () => app.controller.api.identities.patch({ id: desk.id, body: { tags: { changed: String(host.asked.length) } } });
      await plain(...call);
      assert.equal(host.meanwhile, undefined);
    },
    'a target that changed meanwhile': async (group, verb, input) => {
      const { id } = input;
      if (id !== undefined && group === 'identities')
        host.meanwhile = () => app.controller.api.identities.patch({ id, body: { tags: { changed: 'meanwhile' } } });
      await plain(group, verb, input);
    },
  };
  return { app, host, desk, ways };
};

/** Who is within the limit, who is beyond it, and an administrator within it. */
const people = async ({ controller }: App, serial: number) => {
  const make = async (name: string, isAdmin: boolean, ...roleAttributes: string[]) =>
    (await controller.api.identities.create({ body: { name: `${name} ${serial}`, type: 'User', isAdmin, roleAttributes } })).id;
  return {
    serial,
    inside: await make('inside', false, 'team-a'),
    outside: await make('outside', false, 'team-b'),
    boss: await make('boss', true, 'team-a'),
  };
};
type People = Awaited<ReturnType<typeof people>>;

/** What a call that is refused leaves as it is. */
const stateOf = async (app: App, { inside, outside, boss }: People) => ({
  people: (await app.rows('identity')).filter(({ id }) => [inside, outside, boss].includes(id)),
  identities: await app.count('identity'),
  // Refused attempts are recorded after a delay, so on a busy machine in the middle of the next call.
  changes: (await app.rows('change')).filter(({ entity }) => entity !== 'securityEvent').length,
});

const LIMIT = { where: 'anyOf(roleAttributes) = "team-a"' };
const person = ({ serial }: People, ...roleAttributes: string[]) =>
  ({ name: `new ${serial}`, type: 'User', isAdmin: false, roleAttributes }) as const;

interface Case {
  readonly what: string;
  readonly verb: Verb;
  input(people: People): Input;
  /** What comes of it where the rule grants it, and where it limits it; undefined: it is done. */
  readonly granted: string | undefined;
  readonly limited: string | undefined;
}

const BAD = 'UNAUTHORIZED';
const cases: readonly Case[] = [
  {
    what: 'changes somebody within the limit',
    verb: 'patch',
    input: ({ inside: id }) => ({ id, body: { name: `renamed ${id}` } }),
    granted: undefined,
    limited: undefined,
  },
  {
    what: 'disables somebody within the limit',
    verb: 'disable',
    input: ({ inside: id }) => ({ id, body: { durationMinutes: 1 } }),
    granted: undefined,
    limited: undefined,
  },
  {
    what: 'deletes somebody within the limit',
    verb: 'delete',
    input: ({ inside: id }) => ({ id }),
    granted: undefined,
    limited: undefined,
  },
  {
    what: 'makes somebody within the limit',
    verb: 'create',
    input: (all) => ({ body: person(all, 'team-a') }),
    granted: undefined,
    limited: undefined,
  },
  {
    what: 'makes somebody beyond the limit',
    verb: 'create',
    input: (all) => ({ body: person(all, 'team-b') }),
    granted: undefined,
    limited: BAD,
  },
  {
    what: 'moves somebody out of the limit',
    verb: 'patch',
    input: ({ inside: id }) => ({ id, body: { roleAttributes: ['team-b'] } }),
    granted: undefined,
    limited: BAD,
  },
  {
    what: 'moves somebody out by replacing them',
    verb: 'replace',
    input: (all) => ({ id: all.inside, body: person(all) }),
    granted: undefined,
    limited: BAD,
  },
  {
    what: 'changes somebody beyond the limit',
    verb: 'patch',
    input: ({ outside: id }) => ({ id, body: { name: `seized ${id}` } }),
    granted: undefined,
    limited: 'NOT_FOUND',
  },
  {
    what: 'moves somebody into the limit',
    verb: 'patch',
    input: ({ outside: id }) => ({ id, body: { roleAttributes: ['team-a'] } }),
    granted: undefined,
    limited: 'NOT_FOUND',
  },
  {
    what: 'deletes somebody beyond the limit',
    verb: 'delete',
    input: ({ outside: id }) => ({ id }),
    granted: undefined,
    limited: 'NOT_FOUND',
  },
  {
    what: 'disables somebody beyond the limit',
    verb: 'disable',
    input: ({ outside: id }) => ({ id, body: { durationMinutes: 1 } }),
    granted: undefined,
    limited: 'NOT_FOUND',
  },
  {
    what: 'makes an administrator',
    verb: 'create',
    input: (all) => ({ body: { ...person(all, 'team-a'), isAdmin: true } }),
    granted: BAD,
    limited: BAD,
  },
  {
    what: 'turns somebody into an administrator',
    verb: 'patch',
    input: ({ inside: id }) => ({ id, body: { isAdmin: true } }),
    granted: BAD,
    limited: BAD,
  },
  {
    what: 'replaces somebody by an administrator',
    verb: 'replace',
    input: (all) => ({ id: all.inside, body: { ...person(all, 'team-a'), isAdmin: true } }),
    granted: BAD,
    limited: BAD,
  },
  { what: 'changes an administrator', verb: 'patch', input: ({ boss: id }) => ({ id, body: { name: 'x' } }), granted: BAD, limited: BAD },
  {
    what: 'demotes an administrator',
    verb: 'patch',
    input: ({ boss: id }) => ({ id, body: { isAdmin: false } }),
    granted: BAD,
    limited: BAD,
  },
  { what: 'deletes an administrator', verb: 'delete', input: ({ boss: id }) => ({ id }), granted: BAD, limited: BAD },
];

for (const store of stores)
  describe(`the verdicts of a rule, by every way (${store})`, () => {
    const verdicts = { granted: true, limited: LIMIT, refused: false } as const;
    for (const [named, verdict] of Object.entries(verdicts))
      test(`a caller whose right is ${named}`, async () => {
        const { app, host, ways } = await openHosted(store);
        let serial = 0;
        for (const [way, call] of Object.entries(ways))
          for (const { what, verb, input, ...expected } of cases) {
            const all = await people(app, ++serial);
            host.verdict = verdict;
            const before = await stateOf(app, all);
            const given = input(all);
            const code = await call('identities', verb, given).then(
              () => undefined,
              (error: unknown) => (error instanceof ApiError ? error.code : error),
            );
            const wanted = named === 'refused' ? BAD : expected[named as 'granted' | 'limited'];
            assert.equal(code, wanted, `${way}: a caller who is ${named} ${what}`);
            const isChanged = way.endsWith('meanwhile');
            if (wanted !== undefined && !isChanged) {
              assert.deepEqual(await stateOf(app, all), before, `${way}: ${what}`);
            }
            if (named === 'refused') continue;
            const last = host.asked.at(-1) ?? assert.fail(`${way}: the rule was not asked`);
            assert.deepEqual([last.operation, (last.input as Input).id], [`identities.${verb}`, given.id], `${way}: ${what}`);
            assert.equal(last.target?.id, given.id, `${way}: ${what}`);
          }
        await app.close();
      });

    test('a right that the changed identity, or the changed target, has no more is lost before the write', async () => {
      const { app, host, desk, ways } = await openHosted(store);
      const { inside, outside } = await people(app, 0);
      const call = ways['the facade, in a session'] ?? assert.fail();
      const refusedWith = (code: string, work: Promise<unknown>) =>
        assert.rejects(work, (error: unknown) => error instanceof ApiError && error.code === code);
      const rename = (id: string) => call('identities', 'patch', { id, body: { name: `renamed ${id}` } });
      for (const verdict of [true, LIMIT]) {
        host.verdict = verdict;
        host.meanwhile = async () => {
          await app.controller.api.identities.patch({ id: desk.id, body: { tags: { lost: String(verdict === true) } } });
          // From now on, it answers otherwise.
          setVerdict(false);
        };
        await refusedWith('UNAUTHORIZED', rename(inside));
        host.verdict = verdict;
        host.meanwhile = async () => {
          await app.controller.api.identities.patch({ id: inside, body: { tags: { changed: String(verdict === true) } } });
          setVerdict(false);
        };
        await refusedWith('UNAUTHORIZED', rename(inside));
      }
      // The limit holds in the state that the write sees.
      host.verdict = LIMIT;
      host.meanwhile = () => app.controller.api.identities.patch({ id: inside, body: { roleAttributes: ['team-b'] } });
      await refusedWith('NOT_FOUND', rename(inside));
      host.meanwhile = () => app.controller.api.identities.patch({ id: outside, body: { roleAttributes: ['team-a'] } });
      await rename(outside);
      // Nor may it become an administrator meanwhile.
      host.verdict = true;
      host.meanwhile = () => app.controller.api.identities.patch({ id: inside, body: { isAdmin: true } });
      await refusedWith('UNAUTHORIZED', rename(inside));
      assert.match((await app.controller.api.identities.get({ id: inside })).name, /^inside/);
      await app.close();

      function setVerdict(verdict: Verdict) {
        host.verdict = verdict;
      }
    });

    test('a hook that names another target has it judged, and an input that it replaces is judged anew', async () => {
      const { app, host, ways } = await openHosted(store);
      const { inside, boss } = await people(app, 0);
      const call = ways['the facade, for somebody of the host'] ?? assert.fail();
      host.verdict = true;
      host.replaced = { id: boss, body: { name: 'stolen' } };
      await assert.rejects(call('identities', 'patch', { id: inside, body: { name: 'x' } }), ApiError);
      assert.deepEqual(
        host.asked.map(({ target, input }) => [target?.id, (input as { body: { name: string } }).body.name]),
        [
          [inside, 'x'],
          [boss, 'stolen'],
        ],
      );
      assert.match((await app.controller.api.identities.get({ id: boss })).name, /^boss/);
      await app.close();
    });

    test('the target is what is stored, without hidden fields and credentials, by every way', async () => {
      const { app, host, desk, ways } = await openHosted(store);
      const { enrollments, identities } = app.controller.api;
      host.verdict = true;
      const ann = await identities.create({ body: { name: 'ann', type: 'User', isAdmin: false, enrollment: { ott: true } } });
      const [enrollment] = (await identities.listEnrollments({ id: ann.id })).data;
      const service = await app.create('/services', { name: 's', encryptionRequired: true });
      const router = await app.create('/edge-routers', { name: 'r' });
      const login = (await app.login(desk.username, PASSWORD)).body.data;
      /** By group: an id, and the hidden fields of its kind that hold something, by hand. */
      const targets: readonly (readonly [Group, KindName, string, readonly string[]])[] = [
        ['identities', 'identity', ann.id, ['hostedServices']],
        ['authenticators', 'authenticator', desk.authenticatorId, ['passwordHash', 'failedAttempts', 'unverifiedCertPem']],
        ['apiSessions', 'apiSession', login.id, ['tokenHash', 'mfaPassedAt', 'bearer', 'tokenIds', 'sdkInfo']],
        ['enrollments', 'enrollment', enrollment?.id ?? '', ['tokenHash', 'sealed', 'token', 'jwt']],
        ['externalJwtSigners', 'externalJwtSigner', await app.create('/external-jwt-signers', byEndpoint), ['jwksEndpoint']],
        ['cas', 'ca', await app.create('/cas', caBody('ca', (await authority('ca')).cert)), ['subjectHash', 'verificationToken']],
        ['edgeRouters', 'router', router, ['enrolledBy', 'serverNames', 'unverifiedNames', 'isEdgeRouter', 'enrollmentToken']],
        [
          'terminators',
          'terminator',
          await app.create('/terminators', { service, router, binding: 'edge', address: 'x', identitySecret: 'aGVsbG8=' }),
          ['sealedIdentitySecret', 'peerData', 'hostedIn', 'hostId', 'identitySecret'],
        ],
      ];
      assert.ok((await enrollments.list({})).data.length > 0);
      for (const [way, call] of Object.entries(ways)) {
        if (way.endsWith('meanwhile')) continue;
        for (const [group, kind, id, hidden] of targets) {
          const count = host.asked.length;
          await call(group, 'get', { id });
          const stored = (await app.rows(kind)).find((row) => row.id === id);
          assert.ok(stored);
          const secrets = hidden.map((field) => stored[field]).filter((value) => typeof value === 'string' && value.length > 8);
          const [request] = host.asked.slice(count).filter(({ target }) => target?.id === id);
          assert.deepEqual([request?.target?.id, request?.target?.createdAt], [id, stored.createdAt], `${way} ${group}`);
          const keys = Object.keys(request?.target ?? {});
          assert.deepEqual(
            keys.filter((key) => hidden.includes(key)),
            [],
            `${way} ${group}`,
          );
          const text = JSON.stringify(request);
          assert.deepEqual(
            secrets.filter((secret) => text.includes(String(secret))),
            [],
            `${way} ${group}`,
          );
          assert.ok(!('hostedServices' in (request?.actor.identity ?? {})), way);
        }
      }
      await app.close();
    });
  });
