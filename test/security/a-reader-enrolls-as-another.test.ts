/**
 * A right to read must not become an administrator: tokens to enroll with, and what proves an authority, take the right to create or update
 * what they are of, however they are asked for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import type { HostRule } from '../../src/call/pipeline/host-rule.ts';
import { groups } from '../../src/contract/api/index.ts';
import type { Operation } from '../../src/contract/api/kit/operation.ts';
import type { Change } from '../../src/contract/changes/events.ts';
import { ApiError } from '../../src/contract/errors/index.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { caBody } from '../support/certificates.ts';
import { authority } from '../support/pki.ts';

const READER = { actor: 'sso:reader' };
const person = (name: string, more: object = {}) => ({ name, type: 'User', isAdmin: false, enrollment: { ott: true }, ...more }) as const;
const rejects = (work: Promise<unknown>, code: string) =>
  assert.rejects(work, (error: unknown) => error instanceof ApiError && error.code === code);

/** A network with something to steal of every kind. */
const ground = async (app: App) => {
  const { identities, edgeRouters, routers, cas, enrollments } = app.controller.api;
  const { id: ca } = await cas.create({ body: caBody('ca', (await authority('ca')).cert) as never });
  const [boss, mine, theirs] = [
    (await identities.create({ body: person('boss', { isAdmin: true }) })).id,
    (await identities.create({ body: person('mine', { roleAttributes: ['team-a'], enrollment: { ottca: ca } }) })).id,
    (await identities.create({ body: person('theirs', { roleAttributes: ['team-b'], enrollment: { updb: 'theirs' } }) })).id,
  ];
  const edge = (await edgeRouters.create({ body: { name: 'edge', roleAttributes: ['team-a'] } })).id;
  const transit = (await routers.create({ body: { name: 'transit' } })).id;
  const all = (await enrollments.list({ limit: -1 })).data;
  const of = (id: string) => {
    const found = all.find(({ identityId, edgeRouterId, transitRouterId }) => [identityId, edgeRouterId, transitRouterId].includes(id));
    assert.ok(found?.token && found.jwt, `no enrollment of ${id}`);
    return { id: found.id, token: found.token, jwt: found.jwt };
  };
  const { verificationToken } = await cas.get({ id: ca });
  assert.ok(verificationToken);
  const secrets = [...[boss, mine, theirs, edge, transit].flatMap((id) => [of(id).token, of(id).jwt]), verificationToken];
  return { ca, boss, mine, theirs, edge, transit, of, verificationToken, secrets };
};
type Ground = Awaited<ReturnType<typeof ground>>;

/** The secrets that stand in what was answered. */
const secretsIn = ({ secrets }: Ground, answer: unknown): readonly string[] => {
  const text = JSON.stringify(answer);
  return secrets.filter((secret) => text.includes(secret));
};

/** Every operation that takes a right to read, and answers with JSON. */
const readings = Object.entries(groups).flatMap(([group, { operations }]) =>
  Object.entries(operations as Readonly<Record<string, Operation>>).flatMap(([verb, operation]) =>
    operation.permission.endsWith('.read') && (operation.answer.is === 'page' || operation.answer.is === 'data')
      ? [{ group, verb, operation }]
      : [],
  ),
);

const KIND_OF: Readonly<Record<string, string>> = {
  identities: 'identity',
  enrollments: 'enrollment',
  'edge-routers': 'router',
  routers: 'router',
  'transit-routers': 'router',
  cas: 'ca',
  authenticators: 'authenticator',
  'service-policies': 'servicePolicy',
  'edge-router-policies': 'edgeRouterPolicy',
  services: 'service',
};

/** The rule of `docs/guides/acting-for-users.md` as it once was, which hosts have copied: every right that ends in `.read`. */
const readers: HostRule = ({ actor, right }) => (right === undefined || actor.identity?.isAdmin ? undefined : right.endsWith('.read'));

onEveryStore('a reader enrolls as another', (open) => {
  test('no operation that takes a right to read shows a credential, in process and over HTTP', async () => {
    await using app = await open({ authorize: readers });
    const all = await ground(app);
    const { controller } = app;
    const ids = { roles: ['#all'] };
    await controller.api.servicePolicies.create({ body: { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles: ids.roles } });
    await controller.api.edgeRouterPolicies.create({
      body: { name: 'p', semantic: 'AnyOf', identityRoles: ids.roles, edgeRouterRoles: ids.roles },
    });
    const session = await (await app.user()).login();
    let [answered, asked] = [0, 0];
    for (const { group, verb, operation } of readings) {
      const kind = KIND_OF[operation.path.split('/')[1] ?? ''];
      const rows = operation.path.includes('{') ? (kind ? await app.rows(kind as 'identity') : []).map(({ id }) => id) : [''];
      for (const id of rows) {
        asked += 1;
        const facade = controller.api[group as 'identities'] as unknown as Record<
          string,
          (input: object, options: object) => Promise<unknown>
        >;
        const own = await facade[verb]?.(
          { ...(id ? { id } : {}), ...(operation.answer.is === 'page' ? { limit: 500 } : {}) },
          READER,
        ).catch((error: unknown) => error);
        assert.deepEqual(secretsIn(all, own), [], `${group}.${verb} ${id}`);
        const prefix = operation.surfaces[0]?.prefix;
        const path = `${prefix}${operation.path.replace(/\{\w+\}/, id)}`;
        const { status, text } = await app.request('GET', path, { as: session });
        assert.deepEqual(secretsIn(all, text), [], path);
        if (status === 200) answered += 1;
      }
    }
    assert.ok(answered > 60, `of ${asked} questions only ${answered} were answered`);
    // Administrators see them as before, and what they were shown is remembered for no other.
    for (let i = 0; i < 4; i++) {
      assert.equal((await app.request('GET', `/cas/${all.ca}`)).body.data.verificationToken, all.verificationToken);
      assert.equal((await app.request('GET', `/edge-routers/${all.edge}`)).body.data.enrollmentToken, all.of(all.edge).token);
      assert.equal((await app.request('GET', `/identities/${all.boss}`)).body.data.enrollment.ott.jwt, all.of(all.boss).jwt);
      const seen = [
        await controller.api.cas.get({ id: all.ca }, READER),
        await controller.api.edgeRouters.get({ id: all.edge }, READER),
        await controller.api.identities.get({ id: all.boss }, READER),
      ];
      assert.deepEqual(secretsIn(all, seen), []);
    }
  });

  test('what is withheld is empty, or left out where answers may be without it', async () => {
    await using app = await open({ authorize: readers });
    const all = await ground(app);
    const { identities, enrollments, edgeRouters, routers, cas } = app.controller.api;
    const enrollment = await enrollments.get({ id: all.of(all.mine).id }, READER);
    assert.deepEqual([enrollment.token, 'jwt' in enrollment, enrollment.method], ['', false, 'ottca']);
    const { ottca } = (await identities.get({ id: all.mine }, READER)).enrollment;
    assert.deepEqual([ottca?.token, ottca?.jwt, ottca?.caId], ['', undefined, all.ca]);
    for (const detail of [await edgeRouters.get({ id: all.edge }, READER), await routers.get({ id: all.transit }, READER)]) {
      assert.deepEqual(['enrollmentToken' in detail, 'enrollmentJwt' in detail], [false, false]);
      assert.ok(detail.enrollmentExpiresAt);
    }
    assert.equal((await cas.get({ id: all.ca }, READER)).verificationToken, '');
  });

  test('no filter, order or count tells a right guess from a wrong one', async () => {
    await using app = await open({ authorize: readers });
    const all = await ground(app);
    const { enrollments, apiSessions, cas, identities } = app.controller.api;
    const session = (await app.rows('apiSession'))[0];
    assert.ok(session);
    const right = all.of(all.boss).token;
    const lists = {
      'an enrollment': [(filter: string) => enrollments.list({ filter }, READER), right],
      'an enrollment of an identity': [(filter: string) => identities.listEnrollments({ id: all.boss, filter }, READER), right],
      'an API session': [(filter: string) => apiSessions.list({ filter }, READER), app.admin],
      'an authority': [(filter: string) => cas.list({ filter }, READER), all.verificationToken],
    } as const;
    for (const [what, [list, token]] of Object.entries(lists)) {
      const name = what === 'an authority' ? 'verificationToken' : 'token';
      for (const ask of [
        (t: string) => `${name} = "${t}"`,
        (t: string) => `${name} != "${t}"`,
        (t: string) => `${name} in ["${t}", "x"]`,
        (t: string) => `not ${name} = "${t}"`,
      ]) {
        const [hit, miss] = [await list(ask(token)), await list(ask('another'))];
        assert.deepEqual(
          [hit.pagination.totalCount, hit.data.map(({ id }) => id)],
          [miss.pagination.totalCount, miss.data.map(({ id }) => id)],
          `${what}: ${ask('...')}`,
        );
      }
      await rejects(list(`true sort by ${name}`), 'INVALID_FILTER');
    }
    await rejects(enrollments.list({ sort: 'token' }, READER), 'INVALID_SORT_IDENTIFIER');
    // Who has every right finds an enrollment by its token, as before.
    assert.equal((await enrollments.list({ filter: `token = "${right}"` })).pagination.totalCount, 1);
  });

  test('the right to create or to update enrollments shows their tokens, but none of routers and none of administrators', async () => {
    for (const action of ['create', 'update']) {
      const rule: HostRule = ({ actor, right }) =>
        actor.name !== READER.actor
          ? undefined
          : ['enrollment.read', 'identity.read', 'router.read', `enrollment.${action}`].includes(right ?? '');
      await using app = await open({ authorize: rule });
      const all = await ground(app);
      const { enrollments, identities, edgeRouters } = app.controller.api;
      const tokens = new Map((await enrollments.list({ limit: -1 }, READER)).data.map(({ id, token }) => [id, token]));
      const shown = (id: string) => tokens.get(all.of(id).id);
      assert.deepEqual([shown(all.mine), shown(all.theirs)], [all.of(all.mine).token, all.of(all.theirs).token]);
      assert.deepEqual([shown(all.boss), shown(all.edge), shown(all.transit)], ['', '', '']);
      assert.equal((await identities.get({ id: all.theirs }, READER)).enrollment.updb?.jwt, all.of(all.theirs).jwt);
      assert.equal((await identities.get({ id: all.boss }, READER)).enrollment.ott?.jwt, undefined);
      assert.equal((await edgeRouters.get({ id: all.edge }, READER)).enrollmentToken, undefined);
    }
  });

  test('the right to create or to update routers shows their tokens, and with that to enrollments also there', async () => {
    const rule: HostRule = ({ actor, right }) =>
      actor.name !== READER.actor
        ? undefined
        : ['enrollment.read', 'enrollment.update', 'router.read', 'router.create'].includes(right ?? '');
    await using app = await open({ authorize: rule });
    const all = await ground(app);
    const { enrollments, edgeRouters, transitRouters } = app.controller.api;
    assert.equal((await edgeRouters.get({ id: all.edge }, READER)).enrollmentJwt, all.of(all.edge).jwt);
    const listed = (await transitRouters.list({}, READER)).data.find(({ id }) => id === all.transit);
    assert.equal(listed?.enrollmentToken, all.of(all.transit).token);
    assert.equal((await enrollments.get({ id: all.of(all.edge).id }, READER)).token, all.of(all.edge).token);
  });

  test('a rule may tell the showing of credentials from changes, and may give it for some entities', async () => {
    const questions: unknown[] = [];
    let verdict: ReturnType<HostRule>;
    const rule: HostRule = ({ actor, about, operation, right, input, target }) => {
      if (actor.name !== READER.actor) return undefined;
      if (about !== 'credentials') return true;
      if (right?.startsWith('enrollment.')) questions.push([operation, right, input, target]);
      return right?.startsWith('enrollment.') ? verdict : false;
    };
    await using app = await open({ authorize: rule, platform: { logger: { error: () => {}, warn: () => {}, info: () => {} } } });
    const all = await ground(app);
    const { enrollments, identities } = app.controller.api;
    verdict = false;
    assert.deepEqual(secretsIn(all, (await enrollments.list({ limit: -1 }, READER)).data), []);
    assert.deepEqual(questions.slice(0, 2), [
      ['enrollments.refresh', 'enrollment.update', { body: {} }, undefined],
      ['enrollments.create', 'enrollment.create', { body: {} }, undefined],
    ]);
    verdict = { where: `identity = "${all.mine}"` };
    assert.deepEqual(secretsIn(all, (await enrollments.list({ limit: -1 }, READER)).data), [all.of(all.mine).token, all.of(all.mine).jwt]);
    assert.deepEqual(secretsIn(all, (await identities.list({ limit: -1 }, READER)).data), [all.of(all.mine).token, all.of(all.mine).jwt]);
    verdict = 'yes' as never;
    assert.deepEqual(secretsIn(all, (await enrollments.list({ limit: -1 }, READER)).data), []);
  });

  test('enrollments obey the limit on the identities that they belong to', async () => {
    const rule: HostRule = ({ actor, right }) => {
      if (actor.name !== READER.actor) return undefined;
      if (right?.startsWith('identity.')) return { where: 'anyOf(roleAttributes) = "team-a"' };
      return right?.startsWith('enrollment.') ?? false;
    };
    await using app = await open({ authorize: rule });
    const all = await ground(app);
    const { enrollments, identities } = app.controller.api;
    const page = await enrollments.list({ limit: -1 }, READER);
    const owners = page.data.map(({ identityId }) => identityId).filter((id) => id !== undefined);
    assert.deepEqual([owners, page.pagination.totalCount], [[all.mine], 3], 'beside that of team-a only those of routers, without tokens');
    assert.deepEqual(secretsIn(all, page.data), [all.of(all.mine).token, all.of(all.mine).jwt]);
    assert.equal((await identities.listEnrollments({ id: all.mine }, READER)).data.length, 1);
    for (const id of [all.theirs, all.boss]) {
      await rejects(identities.listEnrollments({ id }, READER), 'NOT_FOUND');
      await rejects(enrollments.get({ id: all.of(id).id }, READER), 'NOT_FOUND');
      await rejects(enrollments.refresh({ id: all.of(id).id, body: { expiresAt: '2099-01-01T00:00:00.000Z' } }, READER), 'NOT_FOUND');
      await rejects(enrollments.delete({ id: all.of(id).id }, READER), 'NOT_FOUND');
      const body = { identityId: id, method: 'updb', username: 'guess', expiresAt: '2099-01-01T00:00:00.000Z' } as const;
      if (id === all.boss) await rejects(enrollments.create({ body }, READER), 'UNAUTHORIZED');
    }
    const { id: free } = await identities.create({ body: { name: 'free', type: 'User', isAdmin: false, roleAttributes: ['team-b'] } });
    const body = { identityId: free, method: 'ott', expiresAt: '2099-01-01T00:00:00.000Z' } as const;
    await rejects(enrollments.create({ body }, READER), 'UNAUTHORIZED');
    assert.equal((await identities.listEnrollments({ id: free })).data.length, 0);
  });

  test('no event, record, hook or rule is given what proves an authority, and old records show it no more', async () => {
    const seen: unknown[] = [];
    const rule: HostRule = (request) => {
      if (request.actor.name !== 'system') seen.push(request.target);
      return request.actor.name !== READER.actor ? undefined : true;
    };
    const inTransaction = (change: Change) => void seen.push(change);
    await using app = await open({ authorize: rule, hooks: { inTransaction, afterCommit: inTransaction } });
    app.controller.events.on('change', (change) => void seen.push(change));
    const all = await ground(app);
    await app.controller.api.cas.patch({ id: all.ca, body: { name: 'renamed' } });
    await app.controller.api.cas.get({ id: all.ca }, READER);
    seen.push(await app.rows('change'), (await app.controller.api.changes.list({ limit: 500 })).data);
    assert.ok(JSON.stringify(seen).includes('renamed'));
    assert.ok(!JSON.stringify(seen).includes(all.verificationToken));
    const record = (await app.rows('change')).findLast(({ entity }) => entity === 'ca');
    assert.ok(record);
    await app.tamper((tx) =>
      tx.update('change', { ...record, after: { ...(record.after as object), verificationToken: all.verificationToken } }, record.version),
    );
    const after = Number(record.revision) - 1;
    const listed = (await app.controller.api.changes.list({ after })).data;
    assert.ok(!JSON.stringify(listed).includes(all.verificationToken));
    for await (const change of app.controller.api.changes.follow({ after })) {
      assert.equal(change.entityId, all.ca);
      assert.ok(!JSON.stringify(change).includes(all.verificationToken));
      break;
    }
  });
});

/**
 * Names in answers that look like a secret and are none, or are the caller's own. A name that is new here must be a declared credential.
 */
const NO_CREDENTIALS: Readonly<Record<string, string>> = {
  'apiSessions .token': 'the id of the session, which opens nothing',
  'sessions .token': 'the id of the session, which opens nothing',
  'externalJwtSigners .targetToken': 'the name of a kind of token',
  'externalJwtSigners .enrollToTokenEnabled': 'a flag',
  'authPolicies .primary.updb.minPasswordLength': 'a number',
  'authPolicies .secondary.requireExtJwtSigner': 'an id',
  'authPolicies .primary.extJwt': 'which logins are allowed',
  'authenticators .isKeyRollRequested': 'a flag',
  'authenticators .lastExtendRolledKeys': 'a flag',
  'identities .isKeyRollRequested': 'a flag',
  'identities .lastExtendRolledKeys': 'a flag',
  'apiSessions .isCertKeyRollRequested': 'a flag',
  'liveApiSessions .token': 'the id of the session, which opens nothing',
  'liveApiSessions .isCertKeyRollRequested': 'a flag',
  'changes .tokenId': 'an id',
  'audit .tokenId': 'an id',
  'audit .hash': 'of a record, without its secrets',
  'audit .previousHash': 'of a record, without its secrets',
  'audit .unhashed': 'a number of records',
  'state .externalJwtSigners': 'a list of signers, without secrets',
  'apiTokens .previousSecretEndsAt': 'a date',
  'currentApiTokens .previousSecretEndsAt': 'a date',
  'identities .processes[].binaryHash': 'of a program',
  'postureChecks .process.hashes': 'of a program',
  'postureChecks .processes[].hashes': 'of a program',
  'servicePolicies .process.hashes': 'of a program',
  'servicePolicies .processes[].hashes': 'of a program',
};

const SUSPICIOUS = /token|jwt|secret|passw|recovery|key|hash|credential|seal|salt/i;

/** The paths to the properties of an answer. */
const pathsIn = (schema: z.ZodType, path = ''): readonly string[] => {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, value]) => [`${path}.${name}`, ...pathsIn(value as z.ZodType, `${path}.${name}`)]);
  if (schema instanceof z.ZodArray) return pathsIn(schema.element as z.ZodType, `${path}[]`);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return pathsIn(schema.unwrap() as z.ZodType, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => pathsIn(option as z.ZodType, path));
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right].flatMap((part) => pathsIn(part as z.ZodType, path));
  return [];
};

test('every text in an answer that looks like a credential is declared as one, or known to be none', async () => {
  const { allKinds } = await import('../../src/call/resources/kinds.ts');
  const isDeclared = (operation: Operation, [, name = '']: readonly string[]): boolean => {
    const { answer } = operation;
    const schema = answer.is === 'page' ? answer.item : answer.is === 'data' ? answer.schema : undefined;
    const kind = allKinds.find(({ schemas }) => schemas.detail === schema);
    const field = kind?.fields[name];
    const of = field?.shows === undefined ? undefined : allKinds.find(({ kind }) => kind === field.shows);
    return field?.credential === true || (of !== undefined && Object.values(of.fields).some(({ credential }) => credential));
  };
  for (const { group, verb, operation } of readings) {
    const schema =
      operation.answer.is === 'page' ? operation.answer.item : operation.answer.is === 'data' ? operation.answer.schema : z.never();
    for (const path of pathsIn(schema)) {
      if (!SUSPICIOUS.test(path.split('.').at(-1) ?? '')) continue;
      assert.ok(
        isDeclared(operation, path.split('.')) || `${group} ${path}` in NO_CREDENTIALS,
        `${group}.${verb} answers with ${path}: declare the field a credential in the table of its kind, or say here why it is none`,
      );
    }
  }
});
