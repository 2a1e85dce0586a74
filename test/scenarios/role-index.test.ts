/** Questions about role attributes, answered from memory: always as the database would. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Observe } from '../../src/runtime/observability/events.ts';
import { type Answer, type App, onEveryStore, openApp } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { createIdentities } from '../support/many-identities.ts';
import { begin, dialGround, isThere } from '../support/sessions.ts';
import { newHostedStorage, newSharedStorage } from '../support/stores.ts';

const C = '/edge/client/v1';
const CONTROLLERS = 3;

/** Waits until indexes that were asked for are there. */
const indexed = async (app: App): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise(setImmediate);
    await app.settled();
  }
};

const attributes: fc.Arbitrary<readonly string[]> = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
const roles: fc.Arbitrary<readonly string[]> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(['#all']) },
  { weight: 5, arbitrary: fc.uniqueArray(fc.constantFrom('#a', '#b', '#c', '@0', '@1'), { maxLength: 3 }) },
);
const policy = fc.record({
  type: fc.constantFrom<string>('Dial', 'Bind'),
  semantic: fc.constantFrom<string>('AllOf', 'AnyOf'),
  identityRoles: roles,
  serviceRoles: roles,
});
const which = fc.nat({ max: 3 });
const entity = fc.constantFrom('identities' as const, 'services' as const, 'edge-routers' as const);
const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), entity, attributes }),
  fc.record({ do: fc.constant('change' as const), entity, which, attributes }),
  fc.record({ do: fc.constant('rename' as const), entity, which }),
  fc.record({ do: fc.constant('delete' as const), entity, which }),
  fc.record({ do: fc.constant('create policy' as const), policy }),
  fc.record({ do: fc.constant('change policy' as const), which, policy }),
  fc.record({ do: fc.constant('delete policy' as const), which }),
  fc.record({ do: fc.constant('tamper' as const), attributes }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
const steps = fc.array(fc.record({ by: fc.nat({ max: CONTROLLERS - 1 }), step }), { minLength: 1, maxLength: 7 });

/** What was made so far: ids by collection. */
type Made = Readonly<Record<'identities' | 'services' | 'edge-routers' | 'service-policies', string[]>>;

const BODIES = {
  identities: { type: 'Device', isAdmin: false },
  services: { encryptionRequired: true },
  'edge-routers': {},
} as const;

const named = (selectors: readonly string[], ids: readonly string[]) =>
  selectors
    .flatMap((each) => (each.startsWith('@') ? (ids[Number(each.slice(1))] ?? []) : each))
    .map((each) => (each.startsWith('#') ? each : `@${each}`));

let serial = 0;
const take = async (app: App, made: Made, random: Step): Promise<void> => {
  const patch = async (path: string, body: unknown) => {
    const { status, text } = await app.request('PATCH', path, { body });
    assert.equal(status, 200, text);
  };
  const remove = async (collection: keyof Made, at: number) => {
    const [id] = made[collection].splice(at, 1);
    if (id) assert.equal((await app.request('DELETE', `/${collection}/${id}`)).status, 200);
  };
  const policyBody = ({ identityRoles, serviceRoles, ...rest }: (Step & { do: 'create policy' })['policy']) => ({
    ...rest,
    identityRoles: named(identityRoles, made.identities),
    serviceRoles: named(serviceRoles, made.services),
  });
  switch (random.do) {
    case 'create': {
      const body = { ...BODIES[random.entity], name: `n${serial++}`, roleAttributes: random.attributes };
      made[random.entity].push(await app.create(`/${random.entity}`, body));
      return;
    }
    case 'change':
    case 'rename': {
      const id = made[random.entity][random.which];
      const body = random.do === 'change' ? { roleAttributes: random.attributes } : { name: `n${serial++}` };
      return id ? patch(`/${random.entity}/${id}`, body) : undefined;
    }
    case 'delete':
      return remove(random.entity, random.which);
    case 'create policy':
      made['service-policies'].push(await app.create('/service-policies', { name: `p${serial++}`, ...policyBody(random.policy) }));
      return;
    case 'change policy': {
      const id = made['service-policies'][random.which];
      return id ? patch(`/service-policies/${id}`, policyBody(random.policy)) : undefined;
    }
    case 'delete policy':
      return remove('service-policies', random.which);
    case 'tamper': {
      const [id] = made.identities;
      // A revision without a change record.
      if (id) await app.alter('identity', id, { roleAttributes: random.attributes.toSorted() });
    }
  }
};

type Query = Readonly<Record<string, string | number | readonly string[]>>;

/** Every form of question about roles. */
const questions = (made: Made): readonly (readonly [string, Query])[] => [
  ...['/identities', '/services', '/edge-routers'].flatMap((path): [string, Query][] => [
    [path, { roleFilter: '#a' }],
    [path, { roleFilter: ['#a', '#b'], limit: 1 }],
    [path, { roleFilter: ['#a', '#b'], roleSemantic: 'AnyOf', limit: 2, offset: 1 }],
    [path, { roleFilter: '#c', sort: 'name desc', limit: 2 }],
    [path, { roleFilter: '#a', sort: 'name', limit: 2, offset: 1 }],
    [path, { roleFilter: '#a', sort: 'createdAt desc', limit: 2 }],
    [path, { roleFilter: '#a', filter: 'true sort by createdAt desc, name desc', limit: 2 }],
    [path, { roleFilter: '#c', filter: 'name contains "1"', limit: 1 }],
    [path, { filter: 'name contains "1" sort by name desc', limit: 2 }],
    [path, { filter: 'name > "n1" and name <= "n4" sort by name', limit: 2 }],
    [path, { filter: 'not name icontains "N1" and not anyOf(roleAttributes) = "b"', limit: 3 }],
    [path, { filter: 'anyOf(roleAttributes) = "a" and not anyOf(roleAttributes) = "b"' }],
    [path, { filter: 'isEmpty(roleAttributes)' }],
  ]),
  ...made.identities.flatMap((id): [string, Query][] => [
    ['/services', { roleFilter: [`#b`, `@${made.services[0]}`], roleSemantic: 'AnyOf' }],
    [`/identities/${id}/services`, {}],
    [`/identities/${id}/services`, { policyType: 'dial', limit: 1, offset: 1 }],
    [`/identities/${id}/services`, { sort: 'name', limit: 1 }],
    [`/identities/${id}/service-policies`, { limit: 2 }],
    [`/identities/${id}/edge-routers`, {}],
    ['/services', { asIdentity: id, limit: 2 }],
    ...made.services.slice(0, 2).map((service): [string, Query] => [`/identities/${id}/policy-advice/${service}`, {}]),
  ]),
  ...made.services.flatMap((id): [string, Query][] => [
    [`/services/${id}/identities`, { limit: 2 }],
    [`/services/${id}/identities`, { filter: 'name contains "2"' }],
    [`/services/${id}/service-policies`, {}],
  ]),
  ...made['service-policies'].flatMap((id): [string, Query][] => [
    [`/service-policies/${id}/identities`, { limit: 2 }],
    [`/service-policies/${id}/services`, {}],
  ]),
];

const TABLES = ['edgeRouterPolicy', 'identity', 'router', 'service', 'serviceEdgeRouterPolicy', 'servicePolicy'];

/** What a list answers, without what is signed anew each time; or the whole of another answer. */
const essence = ({ body }: Answer): unknown =>
  Array.isArray(body.data) ? { ids: body.data.map(({ id }: { id: string }) => id), pagination: body.meta.pagination } : body.data;

/** Every answer is the database's. */
const NOTHING_IN_MEMORY = { roleIndexBytes: 0, readCacheBytes: 0 };
const NO_INDEX = { roleIndexBytes: 0 };

onEveryStore('questions about role attributes', (open, store) => {
  test('are answered by every controller as by one that asks the database, whichever made the last change', async () => {
    const property = fc.asyncProperty(steps, async (random) => {
      await using shared = newSharedStorage(store);
      await using stack = new AsyncDisposableStack();
      const join = async (settings = {}): Promise<App> => stack.use(await openApp(store, { storage: shared.adapter(), settings }));
      const plain = await join(NOTHING_IN_MEMORY);
      const apps = [await join(), await join(), await join()];
      const made: Made = { identities: [], services: [], 'edge-routers': [], 'service-policies': [] };
      for (const collection of ['identities', 'services', 'edge-routers'] as const)
        for (const roleAttributes of [['a'], ['a', 'b'], ['c'], []])
          await take(plain, made, { do: 'create', entity: collection, attributes: roleAttributes });
      const everyone = { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#a'], serviceRoles: ['#b', '@0'] };
      await take(plain, made, { do: 'create policy', policy: everyone });
      await plain.create('/edge-router-policies', {
        name: `p${serial++}`,
        semantic: 'AnyOf',
        identityRoles: ['#a'],
        edgeRouterRoles: ['#b'],
      });
      const user = await plain.user({ roleAttributes: ['a', 'c'] });
      const as = await user.login();
      const assertSame = async () => {
        for (const [path, query] of [...questions(made), [`${C}/services`, { limit: 2 }] as const]) {
          const asked = path.startsWith(C) ? { as } : {};
          const expected = await list(plain, path, query, asked);
          assert.equal(expected.status, 200, `${path}: ${expected.text}`);
          for (const [i, app] of apps.entries())
            assert.deepEqual(
              essence(await list(app, path, query, asked)),
              essence(expected),
              `controller ${i}: ${path} ${JSON.stringify(query)}`,
            );
        }
      };
      // Twice: the second time, they ask for orders and texts beside the sets.
      for (let time = 0; time < 2; time++) {
        await assertSame();
        for (const app of apps) await indexed(app);
      }
      for (const app of apps) {
        const { roleIndexes } = await app.controller.statistics();
        assert.deepEqual(Object.keys(roleIndexes).toSorted(), TABLES);
      }
      // Rows of each form that came after the scan.
      const both = { type: 'Dial', semantic: 'AllOf', identityRoles: ['#a', '#b'], serviceRoles: ['#a'] };
      await take(plain, made, { do: 'create policy', policy: both });
      for (const collection of ['identities', 'edge-routers'] as const)
        await take(plain, made, { do: 'create', entity: collection, attributes: ['a', 'c'] });
      await assertSame();
      for (const { by, step } of random) {
        await take(apps[by] as App, made, step); // below the number of controllers
        await assertSame();
      }
    });
    await fc.assert(property, { numRuns: store === 'memory' ? 8 : 3 });
  });

  const carrying = async (app: App, attribute: string) =>
    namesIn(await list(app, '/identities', { roleFilter: `#${attribute}`, sort: 'name' }));
  const person = (name: string, ...roleAttributes: string[]) => ({ name, type: 'User' as const, isAdmin: false, roleAttributes });
  /** Asks until there is an index. */
  const warm = async (app: App, attribute = 'a'): Promise<void> => {
    for (const limit of [1, 2]) await list(app, '/identities', { roleFilter: `#${attribute}`, limit });
    await indexed(app);
  };
  const isIndexed = async (app: App): Promise<boolean> => 'identity' in (await app.controller.statistics()).roleIndexes;

  test('cost no statement for the total, nor for the number of all rows, by which they are priced', async () => {
    const statements: number[] = [];
    const observe: Observe = (event) => void (event.type === 'operation' && statements.push(event.statements));
    const asked = async (settings: object): Promise<number> => {
      await using app = await open({ observe, settings });
      for (let i = 0; i < 12; i++) await app.create('/identities', person(`n${i}`, 'a'));
      await warm(app);
      await app.create('/identities', person('last', 'a'));
      const { body } = await list(app, '/identities', { roleFilter: '#a', limit: 5 });
      assert.equal(body.meta.pagination.totalCount, 13);
      return statements.at(-1) ?? Number.NaN;
    };
    assert.equal(await asked({}), (await asked(NO_INDEX)) - 2);
  });

  test('once there is an index, it knows the ids of every page and how many rows there are, also where nothing is asked of roles', async () => {
    const statements: number[] = [];
    const observe: Observe = (event) => void (event.type === 'operation' && statements.push(event.statements));
    await using app = await open({ observe });
    for (let i = 0; i < 12; i++) await app.create('/identities', person(`n${i}`, 'a'));
    const page = async (query: Readonly<Record<string, number>>) => {
      const answer = await list(app, '/identities', query);
      return { names: namesIn(answer), total: answer.body.meta.pagination.totalCount, statements: statements.at(-1) };
    };
    const before = [await page({ limit: 5, offset: 4 }), await page({ limit: 100 })];
    await warm(app);
    assert.ok(await isIndexed(app));
    const after = [await page({ limit: 5, offset: 4 }), await page({ limit: 100 })];
    assert.deepEqual(
      after.map(({ names, total }) => [names, total]),
      before.map(({ names, total }) => [names, total]),
    );
    assert.deepEqual(
      after.map((each) => each.statements),
      [1, 1],
      'the revision',
    );
  });

  test('are answered by the database again where the change log has lost what came between', async () => {
    await using shared = newSharedStorage(store);
    const join = (settings = {}) => openApp(store, { storage: shared.adapter(), settings });
    await using app = await join({ changesKept: 2 });
    await using other = await join({ changesKept: 2 });
    await app.create('/identities', person('ann', 'a'));
    await warm(app);
    assert.ok(await isIndexed(app));
    for (const name of ['bob', 'cyd', 'dan', 'eve']) await other.create('/identities', person(name, 'a'));
    assert.deepEqual(await carrying(app, 'a'), ['ann', 'bob', 'cyd', 'dan', 'eve']);
    assert.ok(!(await isIndexed(app)));
    await warm(app);
    assert.ok(await isIndexed(app));
    assert.deepEqual(await carrying(app, 'a'), ['ann', 'bob', 'cyd', 'dan', 'eve']);
    // More than the cache reads to catch up, and less than the index does.
    const id = await other.create('/identities', person('fay', 'a'));
    for (let i = 0; i < 250; i++) await other.request('PATCH', `/identities/${id}`, { body: { name: `fay ${i}` } });
    assert.deepEqual(await carrying(app, 'a'), ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay 249']);
    assert.ok(!(await isIndexed(app)));
  });

  test('are answered by the database while many changes of others are read', async () => {
    await using shared = newSharedStorage(store);
    const join = () => openApp(store, { storage: shared.adapter() });
    await using app = await join();
    await using other = await join();
    const id = await app.create('/identities', person('ann', 'a'));
    await createIdentities(
      app.controller.api,
      Array.from({ length: 700 }, (_, i) => person(`n${i}`)),
    );
    await warm(app);
    for (let i = 0; i < 600; i++) await other.request('PATCH', `/identities/${id}`, { body: { roleAttributes: i % 2 ? ['a'] : ['b'] } });
    assert.deepEqual(await carrying(app, 'a'), ['ann']);
    assert.ok(await isIndexed(app));
    await indexed(app);
    assert.deepEqual([await carrying(app, 'a'), await carrying(app, 'b')], [['ann'], []]);
    assert.ok(await isIndexed(app));
  });

  test('in a transaction of the host see what it has written, and outside only what was committed', async () => {
    const { storage, transaction } = newHostedStorage(store);
    await using app = await open({ storage });
    const { identities } = app.controller.api;
    const { id } = await identities.create({ body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['a'] } });
    await warm(app);
    const found = async (host?: unknown) => {
      const page = await identities.list({ roleFilter: ['#b'] }, host === undefined ? {} : { transaction: host });
      return [page.data.length, page.pagination.totalCount];
    };
    assert.deepEqual(await found(), [0, 0]);
    const undone = new Error('undone');
    const change = async (host: unknown) => {
      await identities.patch({ id, body: { roleAttributes: ['b'] } }, { transaction: host });
      assert.deepEqual(await found(host), [1, 1]);
    };
    await assert.rejects(
      transaction(async (host) => {
        await change(host);
        throw undone;
      }),
      undone,
    );
    assert.deepEqual(await found(), [0, 0]);
    await transaction(change);
    assert.deepEqual(await found(), [1, 1]);
    assert.ok(await isIndexed(app));
  });

  test('in a transaction that writes see what it has written', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    const policy = await net.dial(staff);
    await warm(app, 'staff');
    for (const limit of [1, 2]) await list(app, `/identities/${ann.id}/services`, { limit });
    await indexed(app);
    const id = await begin(app, ann, wiki);
    // The same write takes away what the session was granted by, and ends it.
    assert.equal((await net.patch(`/service-policies/${policy}`, { identityRoles: ['#others'] })).status, 200);
    assert.ok(!(await isThere(app, ann, id)));
    assert.deepEqual(await net.dials(ann.id), []);
  });

  test('take no more memory than they may: beyond, the database answers', async () => {
    await using app = await open({ settings: { roleIndexBytes: 6000 } });
    for (let i = 0; i < 20; i++) await app.create('/identities', person(`n${i}`, 'a'));
    await warm(app);
    const { roleIndexes } = await app.controller.statistics();
    assert.ok((roleIndexes.identity?.bytes ?? Infinity) < 6000);
    assert.equal(roleIndexes.identity?.rows, 21);
    for (let i = 0; i < 40; i++) await app.create('/identities', person(`more${i}`, 'a', `rare-${i}`));
    assert.ok(!(await isIndexed(app)));
    assert.equal(app.log.filter((line) => line.includes('roleIndexBytes')).length, 1);
    await warm(app);
    assert.ok(!(await isIndexed(app)));
    assert.equal((await list(app, '/identities', { roleFilter: '#a' })).body.meta.pagination.totalCount, 60);
  });

  test('need no index where the host wants none', async () => {
    await using app = await open({ settings: NO_INDEX });
    await app.create('/identities', person('ann', 'a'));
    await warm(app);
    assert.deepEqual(await carrying(app, 'a'), ['ann']);
    assert.deepEqual((await app.controller.statistics()).roleIndexes, {});
  });
});
