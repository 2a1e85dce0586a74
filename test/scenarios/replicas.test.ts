/** A copy that is built from a snapshot and the changes after it alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { kinds } from '../../src/contract/api/kinds.ts';
import type { Kind } from '../../src/contract/api/kit/resource.ts';
import type { Change, EntityState, StateEnd } from '../../src/index.ts';
import { visibleFields } from '../../src/store/changelog/visible.ts';
import type { Row } from '../../src/store/storage/port.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { cuttable } from '../support/cuttable.ts';
import { three } from '../support/three-controllers.ts';
import { until } from '../support/until.ts';

/** For a long run: `REPLICA_CHANGES=100000 STORES=postgres`. */
const CHANGES = Number(process.env.REPLICA_CHANGES ?? 150);
const KINDS = ['service', 'identity', 'servicePolicy'] as const;
type Followed = Change<(typeof KINDS)[number]> | EntityState<(typeof KINDS)[number]> | StateEnd;

const createReplica = () => {
  const entities = new Map<string, unknown>();
  const replica = {
    entities,
    revision: 0,
    isComplete: false,
    take: (item: Followed): void => {
      assert.ok(item.revision >= replica.revision, 'in order');
      replica.revision = item.revision;
      if (item.action === 'complete') replica.isComplete = true;
      else if (item.action === 'delete') assert.ok(entities.delete(item.entityId), `${item.entity} ${item.entityId} was there`);
      else {
        assert.equal(entities.has(item.entityId), item.action === 'update', `${item.action} of ${item.entity} ${item.entityId}`);
        entities.set(item.entityId, item.after);
      }
    },
  };
  return replica;
};

/** Numbers that follow from a seed. */
const numbersFrom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** Creates, renames or deletes an entity of one of the kinds. */
const writeOne = async ({ controller: { api } }: App, next: (below: number) => number): Promise<void> => {
  const name = `${'abc'[next(3)]}${next(12)}`;
  const named = { filter: `name = "${name}"` };
  const [group, body] = [
    [api.services, { encryptionRequired: true }],
    [api.identities, { type: 'User', isAdmin: false }],
    [api.servicePolicies, { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] }],
  ][next(3)] as unknown as [typeof api.services, { encryptionRequired: boolean }]; // they have these operations in common
  const [known] = (await group.list(named)).data;
  if (!known) await group.create({ body: { ...body, name } });
  else if (next(3) === 0) await group.delete({ id: known.id });
  else await group.patch({ id: known.id, body: { name: `${'abc'[next(3)]}${next(12)}` } }).catch(() => undefined); // the name may be taken
};

const versionsIn = async (app: App, isSeen: (name: string) => boolean): Promise<ReadonlyMap<string, number>> => {
  const rows = (await Promise.all(KINDS.map((kind) => app.rows(kind)))).flat();
  return new Map(rows.flatMap((row) => (isSeen(String(row.name)) ? [[row.id, row.version]] : [])));
};

/** A row as changes show it. */
const recordedOf = (name: (typeof KINDS)[number], row: Row): Readonly<Record<string, unknown>> => {
  const kind: Kind = kinds[name];
  return JSON.parse(JSON.stringify(visibleFields(kind, row)));
};

onEveryStore('replicas', (open, store) => {
  for (const [filter, isSeen] of [
    [undefined, () => true],
    ['name contains "a" or name contains "b1"', (name: string) => name.includes('a') || name.includes('b1')],
  ] as const)
    test(`a copy from a snapshot and the changes after it equals the original, however often it is cut off (${filter ?? 'everything'})`, async () => {
      const property = fc.asyncProperty(fc.nat(), async (seed) => {
        await using network = await three(store);
        const { apps } = network;
        const [source] = apps;
        const next = numbersFrom(seed);
        const write = () => writeOne(apps[next(3)] ?? source, next);
        for (let i = 0; i < CHANGES / 2; i++) await write();
        const replica = createReplica();
        const { client, cut } = cuttable(source);
        const stop = new AbortController();
        const following = (async () => {
          const input = { snapshot: true, kinds: KINDS, signal: stop.signal, ...(filter ? { filter } : {}) } as const;
          for await (const item of client.changes.follow(input)) replica.take(item);
        })();
        const over = assert.rejects(following, { name: 'AbortError' });
        await until(() => replica.revision > 0 || replica.isComplete);
        for (let i = 0; i < CHANGES; i++) {
          await write();
          if (next(5) === 0) cut();
          if (next(5) === 0) source.clock.advance('1s');
        }
        const expected = await versionsIn(source, isSeen);
        await source.controller.publish();
        const isThere = () =>
          replica.isComplete &&
          replica.entities.size === expected.size &&
          [...expected].every(([id, version]) => (replica.entities.get(id) as { version?: number } | undefined)?.version === version);
        await until(() => {
          source.clock.advance('1s');
          return isThere();
        });
        stop.abort();
        await over;
        const rows = (await Promise.all(KINDS.map(async (kind) => (await source.rows(kind)).map((row) => recordedOf(kind, row))))).flat();
        const seen = rows.filter(({ name }) => isSeen(String(name)));
        const copied = [...replica.entities].map(([id, entity]) => [id, JSON.parse(JSON.stringify(entity))] as const);
        assert.deepEqual(new Map(copied), new Map(seen.map((row) => [String(row.id), row])));
      });
      await fc.assert(property, { numRuns: 1 });
    });

  test('a snapshot is of one revision, whatever is written while it is read', async () => {
    await using app = await open();
    const { api } = app.controller;
    const ids: string[] = [];
    for (let i = 0; i < 120; i++) ids.push((await api.services.create({ body: { name: `s${i}`, encryptionRequired: true } })).id);
    const items: Followed[] = [];
    for await (const item of api.changes.follow({ snapshot: true, kinds: ['service'] })) {
      items.push(item);
      if (items.length === 10) {
        for (const id of ids.slice(0, 60)) await api.services.delete({ id });
        await api.services.patch({ id: ids[100] ?? '', body: { name: 'another' } });
      }
      if (items.length === 120 + 1 + 61) break;
    }
    const states = items.slice(0, 120);
    assert.ok(states.every((item) => item.action === 'exists' && item.after.name !== 'another'));
    assert.deepEqual(new Set(states.map((item) => 'entityId' in item && item.entityId)), new Set(ids));
    assert.equal(new Set(states.map(({ revision }) => revision)).size, 1);
    assert.deepEqual(items[120], { action: 'complete', revision: items[0]?.revision });
    assert.deepEqual(new Set(items.slice(121).map(({ action }) => action)), new Set(['delete', 'update']));
  });

  test('it never contains secrets, and only who may read the change log gets it', async () => {
    await using app = await open();
    await app.user();
    const kinds = ['authenticator', 'apiSession', 'enrollment'] as const;
    let text = '';
    for await (const item of app.controller.api.changes.follow({ snapshot: true, kinds })) {
      text += JSON.stringify(item);
      if (item.action === 'complete') break;
    }
    assert.match(text, /"authenticator"/);
    assert.doesNotMatch(text, /hash|sealed|argon/i);
    const token = await (await app.user()).login();
    const path = '/edge/management/extensions/v1/changes/follow?snapshot=true';
    assert.equal((await app.request('GET', path, { as: token })).status, 401);
  });

  test('a filter asks about stored fields of the entities alone, and a snapshot begins at the present', async () => {
    await using app = await open();
    const follow = (input: object) => app.controller.api.changes.follow(input)[Symbol.asyncIterator]().next();
    for (const filter of ['nonsense = 1', 'name =', 'hasEdgerouterConnection = true', 'name = "a" sort by name'])
      await assert.rejects(follow({ kinds: ['identity'], filter }), { code: 'INVALID_FILTER' }, filter);
    await assert.rejects(follow({ filter: 'name = "a"' }), { code: 'INVALID_FILTER' }, 'not all kinds have names');
    await assert.rejects(follow({ snapshot: true, after: 1 }), { code: 'COULD_NOT_VALIDATE' });
  });
});
