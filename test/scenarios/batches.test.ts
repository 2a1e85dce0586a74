import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiError, previewing } from '../../src/index.ts';
import type { App } from '../support/app.ts';
import { onEveryStore } from '../support/app.ts';
import { begin, dialGround } from '../support/sessions.ts';
import { countTurns } from '../support/turns.ts';

const E = '/edge/management/extensions/v1';
const person = (name: string, more: object = {}) => ({ name, type: 'User', isAdmin: false, ...more });
const service = (name: string, more: object = {}) => ({ name, encryptionRequired: true, ...more });
const create = (group: string, body: object) => ({ operation: `${group}.create`, input: { body } });

/** Everything that the store holds, apart from when sessions were active. */
const everything = async (app: App) => {
  await app.settled();
  return JSON.stringify([await app.rows('change'), await app.rows('identity'), await app.rows('service'), await app.rows('servicePolicy')]);
};

onEveryStore('batches', (open) => {
  test('others have turns between its operations', async () => {
    await using app = await open();
    const operations = Array.from({ length: 60 }, (_, i) => create('identities', person(`n${i}`)));
    using others = countTurns();
    await app.controller.api.batch.run({ body: { operations } });
    assert.ok(others.turns >= 5, `${others.turns} turns`);
  });

  test('its operations happen in order, and later ones refer to what earlier ones created', async () => {
    await using app = await open();
    const { api } = app.controller;
    const operations = [
      create('identities', person('ann')),
      create('services', service('wiki')),
      create('servicePolicies', {
        name: 'reads the wiki',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['@$1.id'],
        serviceRoles: ['@$2.id'],
      }),
      { operation: 'identities.patch', input: { id: '$1.id', body: { tags: { named: '$$1.id' } } } },
      { operation: 'services.patch', input: { id: '$2.id', body: { roleAttributes: ['intranet'] } } },
    ];
    const { results, revision } = await api.batch.run({ body: { operations } });
    const [ann, wiki, policy] = results.map(({ id }) => id ?? '');
    assert.deepEqual(
      results.map(({ operation, id }) => [operation, id]),
      operations.map(({ operation }, i) => [operation, [ann, wiki, policy, ann, wiki][i]]),
    );
    assert.equal((await api.identities.get({ id: ann ?? '' })).tags['named'], '$1.id');
    const { identityRoles, serviceRoles } = await api.servicePolicies.get({ id: policy ?? '' });
    assert.deepEqual([identityRoles, serviceRoles], [[`@${ann}`], [`@${wiki}`]]);
    assert.equal(revision, Math.max(...(await app.rows('change')).map(({ version }) => version)));
  });

  test('if one operation fails, nothing of the batch has happened, and the error says which one', async () => {
    await using app = await open();
    await app.create('/identities', person('taken'));
    const good = ['one', 'two', 'three', 'four'].map((name) => create('identities', person(name)));
    for (const failing of good.keys()) {
      const operations = good.with(failing, create('identities', person('taken')));
      const before = await everything(app);
      const events: unknown[] = [];
      app.controller.events.on('change', (change) => void events.push(change));
      const answer = await app.request('POST', `${E}/batch`, { body: { operations } });
      assert.equal(answer.status, 400);
      assert.equal(answer.body.error.code, 'COULD_NOT_VALIDATE');
      assert.match(answer.body.error.cause.reason, new RegExp(`^operation ${failing + 1} \\(identities.create\\): name must be unique`));
      assert.equal(await everything(app), before);
      assert.deepEqual(events, []);
    }
  });

  test('each operation needs the right of its caller, as if it was called alone', async () => {
    await using app = await open();
    const helper = await app.user({ permissions: ['identity'] });
    const as = await helper.login();
    const asked = (operations: readonly object[]) => app.request('POST', `${E}/batch`, { as, body: { operations } });
    assert.equal((await asked([create('identities', person('bob'))])).status, 200);
    const refused = await asked([create('identities', person('eve')), create('services', service('wiki'))]);
    assert.equal(refused.status, 401);
    assert.match(refused.body.error.cause.message, /^operation 2 \(services.create\)/);
    const raised = await asked([create('identities', person('root', { isAdmin: true }))]);
    assert.equal(raised.status, 401);
    const { data } = await app.controller.api.identities.list({ filter: 'name in ["eve", "root"]' });
    assert.deepEqual(data, []);
  });

  test('who takes away their own right in a batch has it no more in what follows', async () => {
    await using app = await open();
    const other = await app.user({ isAdmin: true });
    const session = app.controller.as(await other.login());
    const operations = [
      { operation: 'identities.disable', input: { id: other.id, body: { durationMinutes: 0 } } },
      create('identities', person('too late')),
    ];
    await assert.rejects(session.batch.run({ body: { operations } }), (error: ApiError) => error.code === 'UNAUTHORIZED');
    assert.equal((await app.controller.api.identities.get({ id: other.id })).disabled, false);
  });

  test('what cannot be part of a batch is refused before anything happens', async () => {
    await using app = await open();
    const before = await everything(app);
    const refusals: readonly (readonly [object, RegExp])[] = [
      [{ operation: 'identities.creat', input: {} }, /operation 2 .*must be the name of an operation/],
      [{ operation: 'toString', input: {} }, /operation 2 .*must be the name of an operation/],
      [{ operation: 'identities.list', input: {} }, /it only reads/],
      [{ operation: 'batch.run', input: { body: { operations: [] } } }, /batches cannot be nested/],
      [{ operation: 'authentication.authenticate', input: {} }, /it affects the caller's own session or login/],
      [{ operation: 'database.createSnapshot', input: {} }, /its work continues after its answer/],
      [{ operation: 'authenticators.create', input: {} }, /it hashes a password/],
      [{ operation: 'identities.delete', input: { id: '$2.id' } }, /operation 2 refers to \$2\.id/],
      [{ operation: 'identities.delete', input: { id: '$9.id' } }, /it can only refer to operations before it/],
      [{ operation: 'identities.delete', input: { id: '$0.id' } }, /it can only refer to operations before it/],
    ];
    for (const [refused, reason] of refusals) {
      const answer = await app.request('POST', `${E}/batch`, { body: { operations: [create('identities', person('first')), refused] } });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.body.error.cause.reason, reason);
    }
    const operations = Array.from({ length: 1001 }, (_, i) => ({ operation: 'identities.delete', input: { id: `${i}` } }));
    const tooMany = await app.request('POST', `${E}/batch`, { body: { operations } });
    assert.equal(tooMany.status, 413);
    assert.match(tooMany.body.error.cause.message, /at most 1000 operations, but this one has 1001/);
    assert.equal(await everything(app), before);
  });

  test('a reference to a field that an operation did not answer with is refused', async () => {
    await using app = await open();
    const operations = [create('identities', person('ann')), { operation: 'identities.delete', input: { id: '$1.secret' } }];
    await assert.rejects(
      app.controller.api.batch.run({ body: { operations } }),
      /operation 2 \(identities.delete\): the result of operation 1 has no text secret/,
    );
  });

  test('a batch is refused if the network has changed, or an entity has another version', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { revision } = await api.batch.run({ body: { operations: [create('identities', person('ann'))] } });
    const [{ id = '' } = {}] = (await api.batch.run({ body: { operations: [create('identities', person('bob'))], ifRevision: revision } }))
      .results;
    const late = api.batch.run({ body: { operations: [create('identities', person('cid'))], ifRevision: revision } });
    await assert.rejects(late, (error: ApiError) => error.code === 'PRECONDITION_FAILED' && error.status === 412);
    const patch = { operation: 'identities.patch', input: { id, body: { tags: {} } }, ifVersion: 1 };
    await assert.rejects(api.batch.run({ body: { operations: [patch] } }), (error: ApiError) => error.code === 'PRECONDITION_FAILED');
  });

  test('sessions that lose access by the batch as a whole end with it, and no others', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    const dial = await net.dial(staff);
    await begin(app, ann, wiki);
    const { api } = app.controller;
    const without = { operation: 'servicePolicies.patch', input: { id: dial, body: { identityRoles: ['#nobody'] } } };
    const again = { operation: 'servicePolicies.patch', input: { id: dial, body: { identityRoles: ['#all'] } } };
    await api.batch.run({ body: { operations: [without, again] } });
    assert.equal(await app.count('session'), 1);
    const { changeCount } = await previewing(api).batch.run({ body: { operations: [without] } });
    assert.equal(changeCount, 2);
    assert.equal(await app.count('session'), 1);
    await api.batch.run({ body: { operations: [without] } });
    assert.equal(await app.count('session'), 0);
  });

  test('code of the host runs for each operation of a batch, before its transaction, and may write through the controller', async () => {
    const asked: unknown[] = [];
    let mayCreate = true;
    await using app = await open({
      authorize: ({ actor, operation, target, about }) => {
        if (actor.name !== 'sso:ann' || about !== 'call') return undefined;
        asked.push([operation, target?.name]);
        return mayCreate || operation !== 'services.create' ? undefined : false;
      },
      hooks: {
        before: async (operation, input, { actor }) => {
          if (actor.name !== 'sso:ann' || operation === 'batch.run') return undefined;
          const { id } = await app.controller.api.identities.create({ body: { name: `of ${asked.length}`, type: 'User', isAdmin: false } });
          asked.push([operation, 'before']);
          return operation === 'services.create' ? { body: { ...input.body, roleAttributes: [id] } } : undefined;
        },
      },
    });
    const { api } = app.controller;
    const patch = { operation: 'services.patch', input: { id: '$1.id', body: { name: 'docs' } } };
    const operations = [create('services', service('wiki')), patch, patch];
    const { results } = await api.batch.run({ body: { operations } }, { actor: 'sso:ann' });
    assert.equal(results.length, 3);
    const [made] = (await api.services.list({ filter: 'name = "docs"' })).data;
    assert.equal(made?.roleAttributes?.length, 1);
    const ofHook = asked.filter((each) => String(each).endsWith('before'));
    assert.deepEqual(ofHook, [
      ['services.create', 'before'],
      ['services.patch', 'before'],
      ['services.patch', 'before'],
    ]);
    mayCreate = false;
    asked.length = 0;
    await assert.rejects(api.batch.run({ body: { operations: [patch, ...operations] } }, { actor: 'sso:ann' }), /operation 1/);
    await assert.rejects(api.batch.run({ body: { operations } }, { actor: 'sso:ann' }), { code: 'UNAUTHORIZED' });
    assert.ok(!asked.some((each) => String(each).endsWith('before')), 'what is refused is not passed to before');
    assert.equal((await api.services.list()).data.length, 1);
  });
});
