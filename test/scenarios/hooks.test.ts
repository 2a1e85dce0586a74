import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hooks } from '../../src/call/pipeline/hooks.ts';
import { ApiError, invalidField } from '../../src/contract/errors/index.ts';
import { type App, onEveryStore } from '../support/app.ts';

const person = (name: string) => ({ name, type: 'User', isAdmin: false }) as const;

onEveryStore('hooks of the host', (open, store) => {
  test('before may refuse with a field error, over HTTP and in process alike', async () => {
    const hooks: Hooks = {
      before: (operation, input, _call) => {
        if (operation === 'identities.create' && !input.body.name.startsWith('team-'))
          throw invalidField('name', 'name must begin with team-', input.body.name);
      },
    };
    await using app = await open({ hooks });
    const { status, body } = await app.request('POST', '/identities', { body: person('ann') });
    assert.deepEqual([status, body.error.code, body.error.cause.field], [400, 'COULD_NOT_VALIDATE', 'name']);
    await assert.rejects(app.controller.api.identities.create({ body: person('ann') }), ApiError);
    await app.controller.api.identities.create({ body: person('team-ann') });
    assert.deepEqual(
      (await app.controller.api.identities.list({ filter: 'name contains "ann"' })).data.map(({ name }) => name),
      ['team-ann'],
    );
  });

  test('before may give another input, which is checked; changes of the one that it was given have no effect', async () => {
    let next: (body: object) => object | undefined = () => undefined;
    const hooks: Hooks = {
      before: (operation, input, _call) => {
        if (operation !== 'identities.create') return undefined;
        const replaced = next(structuredClone(input.body));
        Object.assign(input.body, { name: 'changed in place', isAdmin: true });
        Object.assign(input.body.tags ?? {}, { by: 'a change in place' });
        return replaced && { body: replaced };
      },
    };
    await using app = await open({ hooks });
    const { identities } = app.controller.api;
    const made = async (name: string) => {
      const body = { ...person(name), tags: { by: 'the caller' } };
      const { id } = await identities.create({ body });
      assert.deepEqual(body, { ...person(name), tags: { by: 'the caller' } }, 'what the caller has is left alone, too');
      return identities.get({ id });
    };
    const seen = ({ name, isAdmin, tags }: Awaited<ReturnType<typeof made>>) => ({ name, isAdmin, tags });
    assert.deepEqual(seen(await made('ann')), { name: 'ann', isAdmin: false, tags: { by: 'the caller' } });
    const { body } = await app.request('POST', '/identities', { body: person('over HTTP') });
    assert.equal((await identities.get({ id: body.data.id })).name, 'over HTTP');
    next = (given) => ({ ...given, tags: { by: 'the host' } });
    assert.deepEqual(seen(await made('bob')), { name: 'bob', isAdmin: false, tags: { by: 'the host' } });
    next = (given) => ({ ...given, name: 7 });
    await assert.rejects(made('eve'), (error) => error instanceof ApiError && error.code === 'COULD_NOT_PARSE_BODY');
    assert.deepEqual((await identities.list({ filter: 'name = "changed in place" or name = "eve"' })).data, []);
  });

  test('before learns who calls, and is not asked of those who may not call', async () => {
    const calls: unknown[] = [];
    const hooks: Hooks = {
      before: (operation, _, { actor, requestId, reason }) =>
        void calls.push([operation, actor.kind, actor.name, actor.identity?.name, requestId, reason]),
    };
    await using app = await open({ hooks });
    const user = await app.user();
    const as = app.controller.as(await user.login());
    calls.length = 0;
    await assert.rejects(as.identities.list({}), ApiError);
    assert.deepEqual(calls, []);
    await as.currentIdentity.get({}, { requestId: 'r-1' });
    await app.controller.api.identities.list({}, { actor: 'sso:1', requestId: 'r-2', reason: 'audit' });
    assert.deepEqual(calls, [
      ['currentIdentity.get', 'identity', user.id, user.username, 'r-1', undefined],
      ['identities.list', 'host', 'sso:1', undefined, 'r-2', 'audit'],
    ]);
  });

  test('inTransaction sees every change before it is committed, and takes it back by throwing', async () => {
    const seen: string[] = [];
    const hooks: Hooks = {
      inTransaction: ({ action, entity, after }) => {
        seen.push(`${action} ${entity}`);
        if (entity === 'authenticator' && action === 'create') throw invalidField('method', 'no passwords here', 'updb');
        if (entity === 'identity' && after && 'externalId' in after && after.externalId === 'bad') throw new Error('no');
      },
    };
    await using app = await open({ hooks });
    const { identities, authenticators } = app.controller.api;
    const before = (await app.rows('change')).length;
    seen.length = 0;
    const { id } = await identities.create({ body: person('ann') });
    assert.deepEqual(seen, ['create identity']);
    const password = { body: { method: 'updb', identityId: id, username: 'anne', password: 'Passw0rd!Passw0rd!' } } as const;
    await assert.rejects(authenticators.create(password), (error) => error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE');
    await assert.rejects(identities.patch({ id, body: { externalId: 'bad' } }), /no/);
    assert.equal((await identities.get({ id })).externalId, null);
    assert.equal((await app.rows('change')).length, before + 1);
  });

  test('what inTransaction writes by the controller is committed and rolled back with the change', async () => {
    let fails = false;
    const app = await open({
      hooks: {
        inTransaction: async (change, { transaction }) => {
          if (change.entity !== 'identity' || change.action !== 'create' || change.after.name.endsWith('-device')) return;
          await app.controller.api.identities.create({ body: person(`${change.after.name}-device`) }, { transaction });
          if (fails) throw new Error('the host changed its mind');
        },
      },
    });
    const names = async () =>
      (await app.controller.api.identities.list({ filter: 'isAdmin = false', sort: 'name' })).data.map(({ name }) => name);
    await app.controller.api.identities.create({ body: person('ann') });
    assert.deepEqual(await names(), ['ann', 'ann-device']);
    fails = true;
    await assert.rejects(app.controller.api.identities.create({ body: person('bob') }), /changed its mind/);
    assert.deepEqual(await names(), ['ann', 'ann-device']);
    await app.close();
  });

  test('afterCommit hears of every change, and harms nobody when it fails', async () => {
    const heard: string[] = [];
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    const hooks: Hooks = {
      afterCommit: async ({ action, entity }) => {
        heard.push(`${action} ${entity}`);
        throw new Error('the webhook is away');
      },
    };
    await using app = await open({ hooks, platform: { logger: { error: note, warn: note, info: note } } });
    heard.length = 0;
    const { id } = await app.controller.api.identities.create({ body: person('ann') });
    await app.controller.api.identities.delete({ id });
    assert.deepEqual(heard, ['create identity', 'delete identity']);
    await app.settled();
    assert.ok(lines.includes('a listener failed'), `${store}: ${lines}`);
  });

  test('what inTransaction writes is published in order, exactly once, with the changes of the call around it', async () => {
    const [heard, emitted]: [number[], number[]] = [[], []];
    await using app: App = await open({
      hooks: {
        inTransaction: async (change, { transaction }) => {
          if (change.entity !== 'service' || change.action !== 'create') return;
          await app.controller.api.identities.create({ body: person(`of ${change.after.name}`) }, { transaction });
        },
        afterCommit: ({ revision }) => void heard.push(revision),
      },
    });
    const { api, events } = app.controller;
    events.on('change', ({ revision }) => emitted.push(revision));
    const create = (name: string) => ({ operation: 'services.create', input: { body: { name, encryptionRequired: true } } });
    const { revision: before } = await api.batch.run({ body: { operations: [create('a')] } });
    [heard.length, emitted.length] = [0, 0];
    const { revision } = await api.batch.run({ body: { operations: [create('b'), create('c'), create('d')] } });
    const expected = Array.from({ length: revision - before }, (_, i) => before + 1 + i);
    assert.equal(expected.length, 6);
    assert.deepEqual(emitted, expected);
    assert.deepEqual(heard, expected);
    await app.controller.publish();
    assert.deepEqual(emitted, expected);
    assert.equal((await api.audit.verify()).isIntact, true);
  });

  test('what inTransaction takes away counts for maxLost, and what it writes is not limited by the rights of the caller', async () => {
    await using app: App = await open({
      hooks: {
        inTransaction: async (change, { transaction }) => {
          if (change.entity !== 'configType' || change.action !== 'create') return;
          const { data } = await app.controller.api.servicePolicies.list({}, { transaction });
          for (const { id } of data) await app.controller.api.servicePolicies.delete({ id }, { transaction });
          const [auditor] = (await app.controller.api.identities.list({ filter: 'name = "ann"' }, { transaction })).data;
          await app.controller.api.identities.patch({ id: auditor?.id ?? '', body: { isAdmin: true } }, { transaction });
        },
      },
    });
    const { api } = app.controller;
    await api.identities.create({ body: person('ann') });
    await api.services.create({ body: { name: 'wiki', encryptionRequired: true } });
    const all = { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] } as const;
    await api.servicePolicies.create({ body: { name: 'all dial', ...all } });
    const body = { name: 'c', schema: {} };
    const delegate = await app.user({ permissions: ['config-type'] });
    const as = app.controller.as(await delegate.login());
    await assert.rejects(
      as.configTypes.create({ body }, { maxLost: 0 }),
      (error) => error instanceof ApiError && error.code === 'ACCESS_LOST',
    );
    assert.equal((await api.servicePolicies.list()).data.length, 1);
    await as.configTypes.create({ body });
    assert.equal((await api.servicePolicies.list()).data.length, 0);
  });

  test('an unknown hook is refused at open', async () => {
    await assert.rejects(open({ hooks: { afterComit: () => undefined } as Hooks }), /did you mean 'afterCommit'/);
  });
});
