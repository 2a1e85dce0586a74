/** Rows that another release writes, before an upgrade or beside this one, without fields that this one derives or gives a default. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completedFields } from '../../src/store/read-cache/row-completion.ts';
import type { StorageAdapter } from '../../src/store/storage/port.ts';
import { readOnlyWhile } from '../support/altered-storage.ts';
import { type App, type OpenOptions, onEveryStore } from '../support/app.ts';
import { askedBy, counting } from '../support/counting.ts';
import { person, refused } from '../support/external-logins.ts';
import { ADDED_FIELDS, asFormerRelease, besideNewerRelease } from '../support/former-release.ts';
import { falsify, integrityRun } from '../support/integrity.ts';
import { makeOneOfEverything } from '../support/one-of-everything.ts';
import { certificateSigner, loginByToken } from '../support/provider.ts';
import { newStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

type Open = (options?: OpenOptions) => Promise<App>;

/** A controller of a former release and one of this release on one store. */
const sideBySide = async (open: Open, store: string, wrap: (storage: StorageAdapter) => StorageAdapter = (storage) => storage) => {
  const storage = newStorage(store);
  const former = await open({ storage: asFormerRelease(storage) });
  const now = await open({ storage: wrap(storage) });
  return {
    former,
    now,
    [Symbol.asyncDispose]: async () => {
      await now.close();
      await former.close();
    },
  };
};

/** Logs in by an external id in any case. */
const loginWithoutCase = async (app: App) => {
  const signer = await certificateSigner(app, { useExternalId: true, ignoreExternalIdCase: true });
  return async (sub: string) => loginByToken(app, await signer.token({ sub }));
};

const noFaults = async (app: App) => assert.deepEqual((await integrityRun(app, 'check')).results, []);

const rowOf = async (app: App, kind: Parameters<App['rows']>[0], id: string) => (await app.rows(kind)).find((row) => row.id === id);

onEveryStore('rows that a former release writes beside this one', (open, store) => {
  test('are found by their external ids in any case, within a second', async () => {
    await using both = await sideBySide(open, store);
    const { former, now } = both;
    const login = await loginWithoutCase(now);
    refused(await login('ann@X'));
    const id = await person(former, { externalId: 'Ann@x' });
    assert.equal((await rowOf(now, 'identity', id))?.externalIdKeys, undefined);
    now.clock.advance('1s');
    assert.equal((await login('ann@X')).body.data?.identityId, id);
    await former.request('PATCH', `/identities/${id}`, { body: { externalId: 'Bob@x' } });
    now.clock.advance('1s');
    assert.equal((await login('bob@X')).body.data?.identityId, id);
    refused(await login('ann@X'));
    await noFaults(now);
  });

  test('keep their version, and no change is recorded, when they are completed', async () => {
    await using both = await sideBySide(open, store);
    const { former, now } = both;
    const id = await person(former, { externalId: 'Ann@x' });
    const before = await rowOf(former, 'identity', id);
    const trail = await now.trail(() => now.request('GET', `/identities/${id}`));
    assert.deepEqual(trail, []);
    assert.deepEqual(await rowOf(now, 'identity', id), { ...before, externalIdKeys: ['ann@x'] });
  });

  test('protect administrators by their external ids at once', async () => {
    await using both = await sideBySide(open, store);
    const { former, now } = both;
    const plain = await now.user();
    const as = await (await now.user({ permissions: ['identity'] })).login();
    await person(former, { isAdmin: true, externalId: 'Root@example.org' });
    const answer = await now.request('PATCH', `/identities/${plain.id}`, { as, body: { externalId: 'root@example.org' } });
    assert.equal(answer.status, 401, answer.text);
  });

  test('are found by the defaults and the numbers that filters compare, at once', async () => {
    await using both = await sideBySide(open, store);
    const { former, now } = both;
    const names = async (path: string, filter: string) =>
      (await now.request('GET', `${path}?filter=${encodeURIComponent(filter)}`)).body.data.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names('/config-types', 'target = "service" and name = "theirs"'), []);
    await former.create('/config-types', { name: 'theirs' });
    assert.deepEqual(await names('/config-types', 'target = "service" and name = "theirs"'), ['theirs']);
    const service = await former.create('/services', { name: 's', encryptionRequired: true });
    const ann = await former.user();
    await former.create('/service-policies', {
      name: 'theirs',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${ann.id}`],
      serviceRoles: [`@${service}`],
    });
    const [policy] = await now.rows('servicePolicy');
    await now.request('GET', `/service-policies/${policy?.id}`);
    assert.equal((await now.rows('servicePolicy'))[0]?.typeNumber, 1);
    await noFaults(now);
  });

  test('end at the time that they say', async () => {
    await using both = await sideBySide(open, store);
    const { former, now } = both;
    const service = await former.create('/services', { name: 's', encryptionRequired: true });
    const ann = await former.user({ roleAttributes: ['a'] });
    const as = await ann.login();
    const count = async () => (await now.request('GET', '/edge/client/v1/services', { as })).body.meta.pagination.totalCount;
    assert.equal(await count(), 0);
    const validUntil = new Date(now.clock.now() + 60_000).toISOString();
    const roles = { identityRoles: ['#a'], serviceRoles: [`@${service}`] };
    await former.create('/service-policies', { name: 'p', type: 'Dial', semantic: 'AnyOf', ...roles, validUntil });
    assert.equal(await count(), 1);
    now.clock.advance('1m');
    assert.equal(await count(), 0);
  });

  test('are completed soon if there are more of them than a controller reads at once, without a change, and each time', async () => {
    let isAway = false;
    await using both = await sideBySide(open, store, (storage) => readOnlyWhile(storage, () => isAway));
    const { former, now } = both;
    const login = await loginWithoutCase(now);
    const found = async (name: string) =>
      (await now.request('GET', `/config-types?filter=target = "service" and name = "${name}"`)).body.data.length === 1;
    for (const [name, isRefused] of [
      ['ann', false],
      ['bob', true], // the store takes no writes at first
    ] as const) {
      const id = await person(former, { externalId: `${name}@X` });
      await former.create('/config-types', { name });
      for (let serial = 0; serial < 210; serial++) await former.create('/services', { name: `${name}${serial}`, encryptionRequired: true });
      isAway = isRefused;
      if (isRefused) await until(async () => !(await found(name)) && /could not be completed/.test(now.log.join()));
      isAway = false;
      await until(async () => {
        now.clock.advance('1s');
        return (await found(name)) && (await login(`${name}@x`)).body.data?.identityId === id;
      });
    }
    await noFaults(now);
  });

  test('are left alone beside a newer release, which completes them, and calls still work', async () => {
    await using both = await sideBySide(open, store, besideNewerRelease);
    const { former, now } = both;
    const id = await person(former, { externalId: 'Ann@x' });
    assert.equal((await now.request('GET', `/identities/${id}`)).body.data.externalId, 'Ann@x');
    assert.equal((await rowOf(now, 'identity', id))?.externalIdKeys, undefined);
  });

  test('are shown as they are while they cannot be completed, and completed later', async () => {
    let isAway = false;
    await using both = await sideBySide(open, store, (storage) => readOnlyWhile(storage, () => isAway));
    const { former, now } = both;
    await now.request('GET', '/identities');
    isAway = true;
    const id = await person(former, { externalId: 'Ann@x' });
    assert.equal((await now.request('GET', `/identities/${id}`)).status, 200);
    assert.match(now.log.join(), /rows of another release could not be completed/);
    isAway = false;
    await until(async () => {
      now.clock.advance('5s');
      await now.request('GET', `/identities/${id}`);
      return (await rowOf(now, 'identity', id))?.externalIdKeys !== undefined;
    });
  });
});

onEveryStore('rows that another controller of this release writes', (open, store) => {
  test('are read to see whether they are complete only if something was derived from what changed', async () => {
    const storage = newStorage(store);
    await using other = await open({ storage });
    await using app = await open({ storage: counting(storage), settings: { roleIndexBytes: 0 } });
    const service = await app.create('/services', { name: 's', encryptionRequired: true });
    const roles = { identityRoles: ['#a'], serviceRoles: ['#a'] };
    const policy = await other.create('/service-policies', { name: 'p', type: 'Dial', semantic: 'AnyOf', ...roles });
    const read = async (body?: unknown) => {
      if (body) assert.equal((await other.request('PATCH', `/service-policies/${policy}`, { body })).status, 200);
      return (await askedBy(() => app.request('GET', `/services/${service}`))).asked;
    };
    await read({ tags: { a: '1' } });
    await read();
    const unchanged = await read();
    assert.equal(await read(), unchanged);
    const costOfChange = await read({ tags: { a: '2' } });
    assert.equal(await read({ tags: { a: '3' } }), costOfChange);
    assert.equal(await read({ identityRoles: ['#b'] }), costOfChange + 1);
    assert.equal(await read(), unchanged);
  });
});

onEveryStore('a network that a former release has written', (open, store) => {
  test('has no faults once it is opened, and is complete', async () => {
    const storage = newStorage(store);
    await using former = await open({ storage: asFormerRelease(storage) });
    const id = await person(former, { externalId: 'Ann@x' });
    await makeOneOfEverything(former);
    // More than are read at once, of which the first are complete.
    for (let serial = 0; serial < 2; serial++) await former.create('/config-types', { name: `theirs-${serial}` });
    const theirs = (await former.rows('configType')).find(({ name }) => name === 'theirs-0');
    assert.ok(theirs);
    await former.tamper(async (tx) => {
      for (let serial = 0; serial < 500; serial++)
        await tx.insert('configType', { ...theirs, id: `-${serial}`, name: `-${serial}`, target: 'service', version: theirs.version });
    });
    await using now = await open({ storage });
    now.clock.advance('1m');
    assert.equal((await (await loginWithoutCase(now))('ann@X')).body.data?.identityId, id);
    await noFaults(now);
    for (const { typeNumber } of await now.rows('servicePolicy')) assert.ok(typeNumber === 1 || typeNumber === 2);
    for (const { target } of await now.rows('configType')) assert.equal(typeof target, 'string');
  });
});

onEveryStore('derived fields of every form', (open) => {
  test('are checked and mended: sets of keys, folded texts and times', async () => {
    await using app = await open();
    const id = await person(app, { externalId: 'Ann@x' });
    await falsify(app, 'identity', id, { externalIdKeys: ['bob@x'], grantsEndAt: '2030-01-01T00:00:00.000Z' });
    const wrong = ['externalIdKeys', 'grantsEndAt'];
    const descriptions = wrong.map((field) => `identities.${field} of identity ${id} does not follow from its other fields`);
    const found = async (what: 'check' | 'fix') => {
      const { results } = await integrityRun(app, what);
      return results.map(({ description }: { description: string }) => description).toSorted();
    };
    assert.deepEqual(await found('check'), descriptions);
    assert.deepEqual(await found('fix'), descriptions);
    assert.deepEqual(await found('check'), []);
  });
});

test('the fields by which a release knows how far it has looked are those that it completes: derived ones, and defaults that queries compare', () => {
  const added = Object.entries(ADDED_FIELDS).flatMap(([kind, fields]) => fields.map((field) => `${kind}.${field}`));
  const indexedOnly = ['apiSession.isBearer', 'router.isEdgeRouter'];
  const hidden = ['terminator.hostId'];
  const others = ['identity.name', 'identity.tags', 'identity.appData', 'service.encryptionRequired', 'servicePolicy.semantic'];
  const completed = [...added, ...indexedOnly, ...hidden];
  assert.deepEqual(
    [...completed, ...others].filter((field) => completedFields.includes(field)),
    completed,
  );
});
