import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { aCa, COMMON_NAME, certificateLogin } from '../support/certificates.ts';
import { person } from '../support/external-logins.ts';
import { falsify, integrityRun } from '../support/integrity.ts';
import { certificateSigner, loginByToken } from '../support/provider.ts';

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

onEveryStore('data integrity', (open) => {
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

  test('sessions that were opened without an authenticator, by a token or by an external id, are sound, and a fix keeps them', async () => {
    await using app = await open();
    const signer = await certificateSigner(app);
    assert.equal((await loginByToken(app, await signer.token({ sub: await person(app) }))).status, 200);
    const authority = await aCa(app, { externalIdClaim: COMMON_NAME });
    await person(app, { externalId: authority.name });
    assert.equal((await certificateLogin(app, await authority.issue(authority.name))).status, 200);
    const before = await app.rows('apiSession');
    assert.deepEqual((await integrityRun(app, 'fix')).results, []);
    assert.deepEqual(await app.rows('apiSession'), before);
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
    'a fix does what deleting should have done, takes a snapshot before, and reports what it could not mend',
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
        ['the snapshot could not be stored; the log of the controller has the reason', [], false],
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
});

test('what SQLite finds rows by is checked against the documents, and mended', proves(237), async () => {
  const storage = sqliteStorage({ file: ':memory:' });
  await using app = await openApp('sqlite', { storage });
  const { id } = await app.user({ roleAttributes: ['sales'] });
  await sql.raw(`update overlay_identity set name = 'another' where id = '${id}'`).execute(storage.db);
  await sql.raw(`delete from overlay_identity__role_attributes where id = '${id}'`).execute(storage.db);
  const expected = [
    `identity ${id} has a different name in its index than in its document`,
    `identity ${id} has different roleAttributes in its index than in its document`,
  ];
  assert.deepEqual(findings(await integrityRun(app, 'check')), expected.map((each) => `found: ${each}`).toSorted());
  assert.deepEqual(findings(await integrityRun(app, 'fix')), expected.map((each) => `fixed: ${each}`).toSorted());
  assert.deepEqual(findings(await integrityRun(app, 'check')), []);
  assert.equal((await app.request('GET', '/identities?roleFilter=%23sales')).body.data.length, 1);
});
