/** Earlier states, and what changed since, show a reader nothing that the present does not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostRule } from '../../src/call/pipeline/host-rule.ts';
import { AUDITOR, PERMISSIONS } from '../../src/contract/api/permissions.ts';
import type { ApiError, Change } from '../../src/index.ts';
import { giveToken } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { makeOneOfEverything } from '../support/one-of-everything.ts';
import { secretsOf } from '../support/secrets.ts';

const X = '/edge/management/extensions/v1';
const TEAM = { roleAttributes: ['team-a'] };
const SCOPES = { 'identity.read': TEAM, 'identity.update': TEAM, 'service.read': TEAM, 'service.update': TEAM, 'router.read': TEAM };
const OTHERS = PERMISSIONS.filter((name) => name !== AUDITOR);
const LEAD = { actor: 'sso:lead' };

const revisionOf = (app: App) => app.inStore('read', (entities) => entities.revision());
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code }: ApiError) => code,
  );

/**
 * People of a team, as they are now and as they were at a revision: one who left it, one who joined it, one who is gone, and one who was
 * never in it.
 */
const movedPeople = async (app: App) => {
  const { identities } = app.controller.api;
  const person = async (name: string, team: string) =>
    (await identities.create({ body: { name, type: 'User', isAdmin: false, roleAttributes: [team] } })).id;
  const ids = {
    left: await person('left', 'team-a'),
    joined: await person('joined', 'team-b'),
    gone: await person('gone', 'team-a'),
    never: await person('never', 'team-b'),
  };
  const revision = await revisionOf(app);
  await identities.patch({ id: ids.left, body: { name: 'left since', roleAttributes: ['team-b'] } });
  await identities.patch({ id: ids.joined, body: { name: 'joined since', roleAttributes: ['team-a'] } });
  await identities.delete({ id: ids.gone });
  return { ...ids, revision };
};

onEveryStore('the past', (open) => {
  test('is closed to who may not read the change log, whatever else it may do, and whether there was anything or not', async () => {
    await using app = await open();
    const { id } = await app.controller.api.services.create({ body: { name: 's', encryptionRequired: true, ...TEAM } });
    const revision = await revisionOf(app);
    await app.controller.api.services.patch({ id, body: { name: 't' } });
    const expiresAt = new Date(app.clock.now() + 86_400_000).toISOString();
    const tokenOf = async (identityId: string, more: object) => (await giveToken(app, identityId, { expiresAt, ...more })).secret;
    const delegate = await app.user({ permissions: OTHERS });
    const scoped = await app.user({ scopedPermissions: SCOPES });
    const auditor = await app.user({ permissions: [AUDITOR] });
    const callers = [
      await (await app.user({ roleAttributes: ['team-a'] })).login(),
      await delegate.login(),
      await scoped.login(),
      await tokenOf(delegate.id, { permissions: OTHERS }),
      await tokenOf(auditor.id, { permissions: ['service.read'] }),
      await tokenOf(auditor.id, { scopedPermissions: { 'service.read': TEAM } }),
    ];
    for (const as of callers.slice(1)) assert.equal((await app.request('GET', '/services', { as })).status, 200);
    for (const as of callers) {
      for (const [method, path] of [
        ['GET', (of: string) => `/history/service/${of}`],
        ['GET', (of: string) => `/history/service/${of}/state?revision=${revision}`],
        ['POST', (of: string) => `/history/service/${of}/revert`],
        ['GET', () => `/access/compare?from=${revision}`],
      ] as const) {
        const body = method === 'POST' ? { revision } : undefined;
        const answers = [id, 'no-such-id'].map((of) => app.request(method, `${X}${path(of)}`, { as, body }));
        const [there, absent] = (await Promise.all(answers)).map(({ status, body: { error } }) => [status, error.code, error.message]);
        assert.deepEqual(there?.slice(0, 2), [401, 'UNAUTHORIZED'], `${method} ${path(id)}`);
        assert.deepEqual(absent, there);
      }
    }
  });

  test('is shown to auditors as the change log shows it, without a secret, and they change nothing by it', async () => {
    await using app = await open();
    await makeOneOfEverything(app);
    const as = await (await app.user({ permissions: [AUDITOR] })).login();
    const revision = await revisionOf(app);
    const shown: string[] = [];
    const last = new Map<string, Change>();
    for (let after = 0; after < revision; ) {
      const { data } = (await app.request('GET', `${X}/changes?limit=500&after=${after}`, { as })).body;
      for (const change of data as readonly Change[]) last.set(`${change.entity}/${encodeURIComponent(change.entityId)}`, change);
      after = data.at(-1).revision;
    }
    for (const [path, { action, entity, after }] of last) {
      if (['securityEvent', 'logCheckpoint', 'routerRepair'].includes(entity)) continue; // no entities
      const { status, body, text } = await app.request('GET', `${X}/history/${path}/state?revision=${revision}`, { as });
      assert.equal(status, action === 'delete' ? 404 : 200, `${path}: ${text}`);
      // Some values change without a record, such as when somebody was last seen.
      if (action !== 'delete') assert.deepEqual(Object.keys(body.data.state).sort(), Object.keys(after ?? {}).sort(), path);
      shown.push(text, (await app.request('GET', `${X}/history/${path}?limit=500`, { as })).text);
    }
    shown.push((await app.request('GET', `${X}/access/compare?from=0`, { as })).text);
    for (const [secret, name] of app.transcript.flatMap(secretsOf))
      assert.ok(
        secret.length < 8 || !shown.some((text) => text.includes(JSON.stringify(secret).slice(1, -1))),
        `${name} ${secret} is shown`,
      );
    const [path] = last.keys();
    const revert = () => app.request('POST', `${X}/history/${path}/revert`, { as, body: { revision } });
    assert.deepEqual(await app.trail(async () => assert.equal((await revert()).status, 401)), []);
  });

  test("takes the right to read the change log, too, from whom the host's rule judges", async () => {
    const rights = new Set(['identity.read', 'service.read']);
    const rule: HostRule = ({ actor, right = '' }) => {
      if (actor.name !== LEAD.actor) return undefined;
      return right === 'identity.read' ? { where: 'anyOf(roleAttributes) = "team-a"' } : rights.has(right);
    };
    await using app = await open({ authorize: rule });
    const { revision, left, joined, gone } = await movedPeople(app);
    const past = app.controller.at(revision);
    for (const id of [left, joined, gone, 'no-such-id']) assert.equal(await codeOf(past.identities.get({ id }, LEAD)), 'UNAUTHORIZED');
    assert.equal(await codeOf(past.identities.list({}, LEAD)), 'UNAUTHORIZED');
    assert.equal(await codeOf(past.services.list({}, LEAD)), 'UNAUTHORIZED');
    assert.equal((await past.identities.list({ filter: 'name = "gone"' })).data.length, 1);
    rights.add('change.read');
    // Who may read the log may see all that was; the limit is that of the right to what is read.
    const { data } = await past.identities.list({ sort: 'name' }, LEAD);
    assert.deepEqual(
      data.map(({ name }) => name),
      ['gone', 'left'],
    );
    rights.delete('service.read');
    assert.equal(await codeOf(past.services.list({}, LEAD)), 'UNAUTHORIZED');
  });

  test('comes back only by operations that the caller may carry out', async () => {
    const rule: HostRule = ({ actor, right }) => {
      if (actor.name !== LEAD.actor) return undefined;
      return right === 'identity.update' ? { where: 'anyOf(roleAttributes) = "team-a"' } : right === 'change.update';
    };
    await using app = await open({ authorize: rule });
    const { api } = app.controller;
    const { revision, left, joined, gone } = await movedPeople(app);
    const boss = await api.identities.create({ body: { name: 'boss', type: 'User', isAdmin: true, roleAttributes: ['team-a'] } });
    const service = await api.services.create({ body: { name: 's', encryptionRequired: true } });
    const later = await revisionOf(app);
    await api.identities.patch({ id: boss.id, body: { name: 'the boss' } });
    await api.services.patch({ id: service.id, body: { name: 't' } });
    const last = await revisionOf(app);
    for (const [kind, id, to, code] of [
      ['identity', left, revision, 'NOT_FOUND'],
      ['identity', joined, revision, 'UNAUTHORIZED'],
      ['identity', gone, revision, 'UNAUTHORIZED'],
      ['identity', boss.id, later, 'UNAUTHORIZED'],
      ['service', service.id, later, 'UNAUTHORIZED'],
      ['service', service.id, last, 'UNAUTHORIZED'],
    ] as const)
      assert.equal(await codeOf(api.history.revert({ kind, id, body: { revision: to } }, LEAD)), code, `${kind} ${id}`);
    assert.equal(await revisionOf(app), last);
  });
});
