import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { lease } from '../../src/api/leases.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { falsify, integrityEnd, integrityRun, integrityState } from '../support/integrity.ts';
import { assertRefused } from '../support/refusals.ts';
import { newSharedStorage } from '../support/stores.ts';

const NOTHING = {
  endTime: null,
  error: null,
  fixingErrors: false,
  inProgress: false,
  results: [],
  startTime: null,
  tooManyErrors: false,
};

/** A network in which everything that can point at something points at nothing. */
const falsified = async (app: App) => {
  const user = await app.user();
  const service = await app.create('/services', { name: 's', encryptionRequired: true });
  const policy = await app.create('/service-policies', {
    name: 'p',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#sales', `@${user.id}`],
    serviceRoles: [`@${service}`],
  });
  const configTypeId = await app.create('/config-types', { name: 't' });
  const config = await app.create('/configs', { name: 'c', configTypeId, data: {} });
  await falsify(app, 'authenticator', user.authenticatorId, { identityId: 'gone-identity' });
  await falsify(app, 'identity', user.id, { authPolicyId: 'gone-policy', serviceHostingCosts: { [service]: 1, 'gone-service': 2 } });
  await falsify(app, 'service', service, { configs: [config, 'gone-config'] });
  await falsify(app, 'servicePolicy', policy, { identityRoles: ['#sales', '@gone-identity', `@${user.id}`], identityWords: ['marketing'] });
  await falsify(app, 'config', config, { configTypeId: 'gone-type' });
  const descriptions = [
    `authenticators.identityId has invalid value for authenticator ${user.authenticatorId}, which references invalid identity gone-identity`,
    `identities.authPolicyId has invalid value for identity ${user.id}, which references invalid authPolicy gone-policy`,
    `identities.serviceHostingCosts has invalid value for identity ${user.id}, which references invalid service gone-service`,
    `identities.hostedServices of identity ${user.id} does not follow from its other fields`,
    `services.configs has invalid value for service ${service}, which references invalid config gone-config`,
    `service-policies.identityRoles has invalid value for servicePolicy ${policy}, which references invalid identity gone-identity`,
    `service-policies.identityWords of servicePolicy ${policy} does not follow from its other fields`,
  ];
  const hopeless = `configs.configTypeId has invalid value for config ${config}, which references invalid configType gone-type`;
  return { user, service, policy, config, descriptions, hopeless };
};

const findings = (state: { results: readonly { description: string; fixed: boolean }[] }) =>
  state.results.map(({ description, fixed }) => `${fixed ? 'fixed' : 'found'}: ${description}`).toSorted();

onEveryStore('data integrity', (open, store) => {
  test('before any run there is nothing to tell, and a sound network gives no findings', proves(236, 287, 383), async () => {
    await using app = await open();
    const { body } = await app.request('GET', '/database/data-integrity-results');
    assert.deepEqual(body.data, NOTHING);
    assert.deepEqual(body.meta.pagination, { limit: -1, offset: 0, totalCount: 0 });
    assert.deepEqual(body.meta.filterableFields, []);
    const state = await integrityRun(app, 'check');
    assert.deepEqual(state, { ...NOTHING, startTime: state.startTime, endTime: state.endTime });
    assert.ok(state.startTime <= state.endTime);
  });

  test('a check finds whatever points at nothing, and changes nothing', proves(8, 237, 382, 383, 457), async () => {
    await using app = await open();
    const { descriptions, hopeless } = await falsified(app);
    const before = await app.rows('servicePolicy');
    let state = NOTHING;
    const left = await app.trail(async () => {
      state = await integrityRun(app, 'check');
    });
    assert.deepEqual(findings(state), [...descriptions, hopeless].map((each) => `found: ${each}`).toSorted());
    assert.deepEqual([state.error, state.fixingErrors, state.tooManyErrors], [null, false, false]);
    assert.deepEqual([left, await app.rows('servicePolicy'), app.snapshots.size], [[], before, 0]);
    const { body } = await app.request('GET', '/database/data-integrity-results');
    assert.equal(body.meta.pagination.totalCount, descriptions.length + 1);
  });

  test(
    'a fix does what deleting should have done, takes a snapshot before, and tells what it could not mend',
    proves(8, 237, 288, 384),
    async () => {
      await using app = await open();
      const { user, service, policy, config, descriptions, hopeless } = await falsified(app);
      const state = await integrityRun(app, 'fix');
      assert.deepEqual(findings(state), [...descriptions.map((each) => `fixed: ${each}`), `found: ${hopeless}`].toSorted());
      assert.equal(state.fixingErrors, true);

      const rowOf = async (kind: Parameters<App['rows']>[0], id: string) => (await app.rows(kind)).find((row) => row.id === id);
      assert.equal(await rowOf('authenticator', user.authenticatorId), undefined);
      assert.equal((await rowOf('identity', user.id))?.authPolicyId, 'default');
      assert.deepEqual((await rowOf('identity', user.id))?.serviceHostingCosts, { [service]: 1 });
      assert.deepEqual((await rowOf('service', service))?.configs, [config]);
      assert.deepEqual((await rowOf('servicePolicy', policy))?.identityRoles, ['#sales', `@${user.id}`]);
      assert.deepEqual((await rowOf('servicePolicy', policy))?.identityWords, ['sales']);
      app.clock.advance('1s');
      const again = await integrityRun(app, 'check');
      assert.deepEqual([findings(again), again.fixingErrors], [[`found: ${hopeless}`], false]);
      assert.ok(again.startTime > state.startTime);

      const [snapshot = ''] = app.snapshots.values();
      assert.ok(snapshot.includes('@gone-identity'), 'the snapshot is of what was there before');
      assert.equal((await app.request('POST', '/database/snapshot')).status, 200, 'the minute between snapshots has not begun');
    },
  );

  test('what a fix changes is in the change log, by whoever asked for it', async () => {
    await using app = await open();
    const { policy } = await falsified(app);
    const me = (await app.request('GET', '/current-identity')).body.data.id;
    const left = await app.trail(() => integrityRun(app, 'fix'));
    assert.deepEqual(left.toSorted(), ['delete authenticator', 'update identity', 'update service', 'update servicePolicy']);
    const record = (await app.rows('change')).findLast(({ entityId }) => entityId === policy);
    assert.equal(record?.actor, me);
  });

  test('where there is no place for snapshots a fix goes without', async () => {
    await using app = await open({ snapshots: undefined });
    const { user } = await falsified(app);
    const { error } = await integrityRun(app, 'fix');
    assert.equal(error, null);
    assert.equal((await app.request('GET', `/identities/${user.id}`)).body.data.authPolicyId, 'default');
  });

  test('a fix whose snapshot fails changes nothing, and says why', proves(236), async () => {
    await using app = await open({ snapshots: { save: () => Promise.reject(new Error('the disk is full')) } });
    await falsified(app);
    const left = await app.trail(async () => {
      const { error, results, inProgress } = await integrityRun(app, 'fix');
      assert.deepEqual(
        [error, results, inProgress],
        ['the place where snapshots are kept did not take it; the log of the controller says why', [], false],
      );
    });
    assert.deepEqual(left, []);
    assert.equal((await integrityRun(app, 'check')).error, null);
  });

  test('more than a thousand findings are too many to tell, and all of them are fixed', proves(236), async () => {
    await using app = await open();
    const { authenticatorId } = await app.user();
    await app.tamper(async (tx) => {
      const row = await tx.get('authenticator', authenticatorId);
      assert.ok(row);
      for (let i = 0; i < 1001; i++)
        await tx.insert('authenticator', { ...row, id: `stray-${i}`, username: `stray-${i}`, identityId: 'gone' });
    });
    const checked = await integrityRun(app, 'check');
    assert.deepEqual([checked.results.length, checked.tooManyErrors], [1000, true]);
    const fixed = await integrityRun(app, 'fix');
    assert.deepEqual([fixed.results.length, fixed.tooManyErrors], [1000, true]);
    const { results, tooManyErrors } = await integrityRun(app, 'check');
    assert.deepEqual([results, tooManyErrors], [[], false]);
  });

  test('one run at a time, on all controllers of a network, whoever asks and for what', proves(236, 287, 288, 467), async () => {
    await using shared = newSharedStorage(store);
    const { promise: going, resolve: go } = Promise.withResolvers<void>();
    const { promise: waiting, resolve: wait } = Promise.withResolvers<void>();
    const save = async () => {
      wait();
      await going;
    };
    await using first = await openApp(store, { storage: shared.adapter(), snapshots: { save } });
    await using second = await openApp(store, { storage: shared.adapter() });
    assert.equal((await first.request('POST', '/database/fix-data-integrity')).status, 202);
    await waiting;
    for (const app of [first, second]) {
      for (const what of ['check', 'fix']) {
        const refused = await app.request('POST', `/database/${what}-data-integrity`);
        assertRefused(refused, 429, 'RATE_LIMITED');
        assert.ok(Number(refused.headers['retry-after']) > 0);
      }
      const { inProgress, fixingErrors, startTime, endTime } = await integrityState(app);
      assert.deepEqual([inProgress, fixingErrors, typeof startTime, endTime], [true, true, 'string', null]);
    }
    go();
    await integrityEnd(second);
    assert.equal((await integrityRun(second, 'check')).error, null);
  });

  test('of many that start at once one is taken', proves(457, 467, 471), async () => {
    await using app = await open();
    const kinds = ['check', 'fix', 'check', 'fix', 'check', 'fix'];
    const answers = await Promise.all(kinds.map((kind) => app.request('POST', `/database/${kind}-data-integrity`)));
    assert.ok(answers.some(({ status }) => status === 202));
    for (const answer of answers) if (answer.status !== 202) assertRefused(answer, 429, 'RATE_LIMITED');
    await integrityEnd(app);
  });

  test('a controller that is lost in a run holds it for a minute, and then another may', proves(287), async () => {
    await using app = await open();
    await integrityRun(app, 'check');
    const now = app.clock.now();
    const heldUntil = new Date(now + 60_000).toISOString();
    await falsify(app, 'maintenanceTask', 'data-integrity', { endedAt: null });
    await app.inStore('write', (entities) =>
      entities.insert(lease, { id: 'data-integrity', holder: 'a lost controller', until: heldUntil }),
    );
    assert.equal((await integrityState(app)).inProgress, true);
    assertRefused(await app.request('POST', '/database/check-data-integrity'), 429, 'RATE_LIMITED');
    app.clock.advance('60s');
    const { inProgress, error, endTime } = await integrityState(app);
    assert.deepEqual([inProgress, error, endTime], [false, 'the controller that ran it was lost before the end', heldUntil]);
    assert.equal((await integrityRun(app, 'check')).error, null);
  });

  test('closing a controller ends its run, which says so', proves(287), async () => {
    await using shared = newSharedStorage(store);
    const { promise: waiting, resolve: wait } = Promise.withResolvers<void>();
    const save = async (_: string, parts: AsyncIterable<string>) => {
      wait();
      for await (const _part of parts);
    };
    const first = await openApp(store, { storage: shared.adapter(), snapshots: { save } });
    await first.request('POST', '/database/fix-data-integrity');
    await waiting;
    await first.close();
    await using second = await openApp(store, { storage: shared.adapter() });
    const { inProgress, error, endTime } = await integrityState(second);
    assert.deepEqual([inProgress, error, typeof endTime], [false, 'the controller was closed', 'string']);
    assert.equal((await integrityRun(second, 'check')).error, null);
  });

  test('maintenance is refused inside of a transaction of the host, with which it would wait for itself', async () => {
    await using app = await open();
    const { database } = app.controller;
    for (const start of [database.checkIntegrity, database.fixIntegrity, database.createSnapshot])
      await assert.rejects(start({}, { transaction: {} }), TypeError);
    assert.equal((await integrityState(app)).startTime, null);
  });

  test('a deleted service leaves the hosting costs and precedences of identities', async () => {
    await using app = await open();
    const [kept = '', gone = ''] = await Promise.all(['a', 'b'].map((name) => app.create('/services', { name, encryptionRequired: true })));
    const body = { serviceHostingCosts: { [kept]: 1, [gone]: 2 }, serviceHostingPrecedences: { [gone]: 'failed' } };
    const { id } = await app.user(body);
    assert.deepEqual(await app.trail(() => app.request('DELETE', `/services/${gone}`)), ['update identity', 'delete service']);
    const { serviceHostingCosts, serviceHostingPrecedences } = (await app.request('GET', `/identities/${id}`)).body.data;
    assert.deepEqual([serviceHostingCosts, serviceHostingPrecedences], [{ [kept]: 1 }, {}]);
  });

  test('whatever is made and deleted, nothing points at nothing', async () => {
    const KINDS = [
      'identities',
      'services',
      'edge-routers',
      'routers',
      'configs',
      'service-policies',
      'posture-checks',
      'terminators',
      'overrides',
    ] as const;
    const step = fc.record({ do: fc.constantFrom('make', 'make', 'delete'), kind: fc.constantFrom(...KINDS), pick: fc.nat(1000) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 50, maxLength: 80 }), async (steps) => {
        await using app = await open();
        const configTypeId = await app.create('/config-types', { name: 't' });
        const ids = Object.fromEntries(KINDS.map((kind) => [kind, [] as string[]]));
        let serial = 0;
        for (const { do: action, kind, pick } of steps) {
          const some = (of: string) => ids[of]?.[pick % (ids[of]?.length || 1)];
          const at = (of: string) => (some(of) ? [`@${some(of)}`] : []);
          const name = `${kind} ${++serial}`;
          if (action === 'delete') {
            const id = some(kind);
            if (id !== undefined && (await app.request('DELETE', `/${kind}/${id}`)).status === 200)
              ids[kind] = (ids[kind] ?? []).filter((each) => each !== id);
            continue;
          }
          const [identity, service, config, router] = [some('identities'), some('services'), some('configs'), some('edge-routers')];
          if (kind === 'overrides') {
            if (identity && service && config)
              await app.request('POST', `/identities/${identity}/service-configs`, { body: [{ serviceId: service, configId: config }] });
            continue;
          }
          const bodies: Record<Exclude<typeof kind, 'overrides'>, unknown> = {
            identities: {
              name,
              type: 'User',
              isAdmin: false,
              serviceHostingCosts: service ? { [service]: 5 } : {},
              enrollment: { ott: true },
            },
            services: { name, encryptionRequired: true, configs: config ? [config] : [] },
            'edge-routers': { name, isTunnelerEnabled: pick % 2 === 0 },
            routers: { name },
            configs: { name, configTypeId, data: {} },
            'service-policies': {
              name,
              type: 'Dial',
              semantic: 'AllOf',
              identityRoles: at('identities'),
              postureCheckRoles: at('posture-checks'),
              serviceRoles: at('services'),
            },
            'posture-checks': { name, typeId: 'DOMAIN', domains: ['a.example'] },
            terminators: { service, router, binding: 'edge', address: 'x' },
          };
          const made = await app.request('POST', `/${kind}`, { body: bodies[kind] });
          if (made.status === 201) ids[kind]?.push(made.body.data.id);
        }
        assert.deepEqual((await integrityRun(app, 'check')).results, []);
      }),
      { numRuns: 6 },
    );
  });
});

test('what SQLite finds rows by is checked against the documents, and mended', proves(237), async () => {
  const storage = sqliteStorage({ file: ':memory:' });
  await using app = await openApp('sqlite', { storage });
  const { id } = await app.user({ roleAttributes: ['sales'] });
  await sql.raw(`update overlay_identity set name = 'another' where id = '${id}'`).execute(storage.db);
  await sql.raw(`delete from overlay_identity__role_attributes where id = '${id}'`).execute(storage.db);
  const expected = [
    `identity ${id} is found by another name than its document has`,
    `identity ${id} is found by other roleAttributes than its document has`,
  ];
  assert.deepEqual(findings(await integrityRun(app, 'check')), expected.map((each) => `found: ${each}`).toSorted());
  assert.deepEqual(findings(await integrityRun(app, 'fix')), expected.map((each) => `fixed: ${each}`).toSorted());
  assert.deepEqual(findings(await integrityRun(app, 'check')), []);
  assert.equal((await app.request('GET', '/identities?roleFilter=%23sales')).body.data.length, 1);
});
