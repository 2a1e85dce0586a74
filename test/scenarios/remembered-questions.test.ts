/** Lists and host rules that are remembered, held against a controller that remembers nothing: whatever they ask, and whichever table changes in between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { HostRule } from '../../src/pipeline/host-rule.ts';
import { and, equals, not, oneOf, type Predicate, stringField } from '../../src/query/index.ts';
import { CachedTransaction } from '../../src/read-cache/cached-transaction.ts';
import type { Read, Transaction } from '../../src/storage/port.ts';
import { type App, onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import { openBesideReadCache } from '../support/read-caches.ts';
import { newSharedStorage, numRuns } from '../support/stores.ts';

/** Words that names, tags and role attributes are made of, so that questions and rows often meet. */
const WORDS = ['a', 'b'] as const;
const EACH = 2;

const word = fc.constantFrom(...WORDS);
const of = fc.nat({ max: EACH - 1 });

/** Conditions on what all kinds have, as a subquery may ask it. */
const plain = fc.oneof(
  word.map((each) => `name contains "${each}"`),
  word.map((each) => `tags.tag = "${each}"`),
  fc.constantFrom('tags.tag = null', 'createdAt > datetime(2000-01-01T00:00:00Z)'),
);
const orders = fc.constantFrom('', ' sort by name', ' sort by createdAt desc, name', ' sort by name skip 1', ' limit 1', ' limit none');

/** A set, or those of its members that satisfy a condition. */
const ofSet = (set: string) =>
  fc.oneof(
    fc.constant(set),
    plain.map((where) => `from ${set} where ${where}`),
  );
const aboutSet = (set: string) =>
  fc.oneof(
    ofSet(set).map((each) => `isEmpty(${each})`),
    fc.tuple(ofSet(set), fc.constantFrom('=', '>=', '<'), fc.nat({ max: 2 })).map(([each, is, n]) => `count(${each}) ${is} ${n}`),
  );
const attributes = word.map((each) => `anyOf(roleAttributes) = "${each}"`);

const condition = (leaf: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.letrec<{ where: string }>((tie) => ({
    where: fc.oneof(
      { maxDepth: 2 },
      { weight: 6, arbitrary: leaf },
      { weight: 1, arbitrary: tie('where').map((term) => `not (${term})`) },
      {
        weight: 1,
        arbitrary: fc.tuple(tie('where'), fc.constantFrom('and', 'or'), tie('where')).map(([a, join, b]) => `(${a} ${join} ${b})`),
      },
    ),
  })).where;

const ofServices = condition(fc.oneof(plain, attributes, aboutSet('configs'), aboutSet('configs')));
const ofPolicies = condition(fc.oneof(plain, aboutSet('services'), aboutSet('identities'), fc.constant('semantic = "AnyOf"')));
const ofConfigs = condition(plain);
const ofIdentities = condition(fc.oneof(plain, attributes));

/** Lists, some of them below an entity, and filters for them. `?` stands for the id of the entity. */
const lists: readonly (readonly [path: string, parent: Collection | undefined, filter: fc.Arbitrary<string>])[] = [
  ['/services', undefined, ofServices],
  ['/identities/?/services', 'identities', ofServices],
  ['/service-policies/?/services', 'service-policies', ofServices],
  ['/configs/?/services', 'configs', ofServices],
  ['/service-policies', undefined, ofPolicies],
  ['/services/?/service-policies', 'services', ofPolicies],
  ['/configs', undefined, ofConfigs],
  ['/services/?/configs', 'services', ofConfigs],
  ['/identities', undefined, ofIdentities],
  ['/service-policies/?/identities', 'service-policies', ofIdentities],
];
const question = fc.oneof(
  ...lists.map(([path, parent, filter]) => fc.record({ path: fc.constant(path), parent: fc.constant(parent), of, filter, order: orders })),
);

/** What may change: each of these tables, in what questions ask of it. */
const changes = {
  configs: fc.oneof(
    word.map((name) => ({ name })),
    word.map((tag) => ({ tags: { tag } })),
  ),
  services: fc.oneof(
    word.map((name) => ({ name })),
    word.map((tag) => ({ tags: { tag } })),
    fc.subarray([...WORDS]).map((roleAttributes) => ({ roleAttributes })),
    fc.subarray([0, 1]).map((configs) => ({ configs })),
  ),
  identities: fc.oneof(
    word.map((name) => ({ name })),
    word.map((tag) => ({ tags: { tag } })),
    fc.subarray([...WORDS]).map((roleAttributes) => ({ roleAttributes })),
  ),
  'service-policies': fc.oneof(
    word.map((name) => ({ name })),
    fc.subarray([...WORDS], { minLength: 1 }).map((roles) => ({ serviceRoles: roles.map((each) => `#${each}`) })),
    fc.subarray([...WORDS], { minLength: 1 }).map((roles) => ({ identityRoles: roles.map((each) => `#${each}`) })),
  ),
} as const;
type Collection = keyof typeof changes;
type Fields = Readonly<Record<string, unknown>>;

const change = fc.oneof(
  ...Object.entries(changes).map(([collection, fields]) =>
    fc.record({ by: of, of, collection: fc.constant(collection as Collection), fields: fields as fc.Arbitrary<Fields> }),
  ),
);

const openNetwork = async (store: string) => {
  const shared = newSharedStorage(store);
  /** The services that a limited caller may see and delete. */
  let where = 'true';
  const authorize: HostRule = ({ actor, right }) =>
    actor.identity?.isAdmin === false && right?.startsWith('service.') ? { where } : undefined;
  const opened = (settings = {}) => {
    const storage = shared.adapter();
    return openApp(store, { storage, settings, authorize, secretKey: storage.secretKey ?? SECRET_KEY });
  };
  const remembering = [await opened(), await opened()];
  const plainApp = await opened({ readCacheBytes: 0, roleIndexBytes: 0 });
  const [app] = remembering as [App, App]; // opened above
  const ids: Record<Collection, string[]> = { configs: [], services: [], identities: [], 'service-policies': [] };
  for (let i = 0; i < EACH; i++) {
    // A service has only one config of each type.
    const configTypeId = await app.create('/config-types', { name: `type ${i}` });
    ids.configs.push(await app.create('/configs', { name: `a${i}`, configTypeId, data: {} }));
    const roleAttributes = [WORDS[i]];
    ids.services.push(
      await app.create('/services', { name: `a${i}`, encryptionRequired: true, roleAttributes, configs: [ids.configs[i]] }),
    );
    ids.identities.push(await app.create('/identities', { name: `a${i}`, type: 'Device', isAdmin: false, roleAttributes }));
    const roles = { serviceRoles: [`#${WORDS[i]}`], identityRoles: [`#${WORDS[i]}`] };
    ids['service-policies'].push(await app.create('/service-policies', { name: `a${i}`, type: 'Dial', semantic: 'AnyOf', ...roles }));
  }
  const limited = await (await app.user()).login();
  return {
    remembering,
    plain: plainApp,
    ids,
    limited,
    limitTo: (filter: string) => {
      where = filter;
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of [...remembering, plainApp, shared]) await each[Symbol.asyncDispose]();
    },
  };
};
type Network = Awaited<ReturnType<typeof openNetwork>>;

/** Each is asked twice of every controller that remembers. */
const assertSame = async ({ remembering, plain: other }: Network, path: string, as: string | undefined): Promise<void> => {
  const asking = as === undefined ? {} : { as };
  const { status, body } = await other.request('GET', path, asking);
  for (const app of remembering)
    for (let i = 0; i < 2; i++) {
      const answer = await app.request('GET', path, asking);
      assert.equal(answer.status, status, decodeURIComponent(path));
      // A refusal has an id of its request.
      if (status === 200) assert.deepEqual(answer.body, body, decodeURIComponent(path));
    }
};

onEveryStore('questions that are remembered', (_, store) => {
  const runs = numRuns(store, store === 'memory' ? 10 : 5);

  test('are answered as by a controller that remembers nothing, whatever changed since', async () => {
    const property = fc.asyncProperty(
      fc.array(question, { minLength: 4, maxLength: 8 }),
      condition(aboutSet('configs')),
      fc.array(change, { minLength: 8, maxLength: 16 }),
      async (questions, limit, steps) => {
        await using network = await openNetwork(store);
        const { ids, remembering, limited } = network;
        network.limitTo(limit);
        const compare = async () => {
          for (const { path, parent, of: at, filter, order } of questions) {
            const full = `${path.replace('?', parent ? (ids[parent][at] ?? '') : '')}?filter=${encodeURIComponent(`${filter}${order}`)}`;
            await assertSame(network, full, undefined);
          }
          await assertSame(network, '/services?limit=1', limited);
          await assertSame(network, `/services?filter=${encodeURIComponent(limit)}`, limited);
          for (const id of ids.services) await assertSame(network, `/services/${id}`, limited);
        };
        await compare();
        for (const { by, of: at, collection, fields } of steps) {
          const body: Fields = {
            ...fields,
            ...(fields.name ? { name: `${fields.name}${at}` } : {}),
            ...(fields.configs ? { configs: (fields.configs as readonly number[]).map((config) => ids.configs[config]) } : {}),
          };
          const { status, text } = await (remembering[by] as App).request('PATCH', `/${collection}/${ids[collection][at]}`, { body });
          assert.equal(status, 200, text);
          await compare();
        }
        const [service] = ids.services;
        const seen = (await network.plain.request('GET', `/services/${service}`, { as: limited })).status;
        assert.equal((await (remembering[0] as App).request('DELETE', `/services/${service}`, { as: limited })).status, seen);
        await compare();
      },
    );
    await fc.assert(property, runs);
  });

  test('hang on the tables of their subqueries in whatever way they are put to the store', async () => {
    await using it = await openBesideReadCache(store);
    const { app, cache } = it;
    const configTypeId = await app.create('/config-types', { name: 'type' });
    const config = await app.create('/configs', { name: 'a', configTypeId, data: {} });
    const service = await app.create('/services', { name: 's', encryptionRequired: true, configs: [config] });
    const named = (name: string): Predicate => equals(stringField('name'), name);
    const hasConfig: Predicate = { op: 'size', set: 'configs', is: '>=', value: 1, of: { kind: 'config', where: named('a') } };
    const one = equals(stringField('id'), service);
    const reads = (where: Predicate): readonly Read[] => [
      { read: 'list', kind: 'service', query: { where } },
      { read: 'list', kind: 'service', query: { where: and(one, where), limit: 1 } },
      { read: 'referenced', kind: 'service', field: 'id', values: [service, 'other'], where },
    ];
    const of = { id: 'x', version: 1 };
    const answers = async (tx: Transaction, where: Predicate): Promise<readonly unknown[]> => [
      await tx.count('service', where),
      await tx.count('service', and(oneOf(stringField('id'), [service]), not(where))),
      ...(await tx.readAll(reads(where))),
      tx instanceof CachedTransaction ? await tx.listFor('service', 'test', of, () => where) : await tx.list('service', { where }),
    ];
    for (const name of ['a', 'b', 'a', 'c']) {
      assert.equal((await app.request('PATCH', `/configs/${config}`, { body: { name, data: { name } } })).status, 200);
      for (let i = 0; i < 2; i++) {
        await it.store.transaction('read', async (tx) => {
          const plainly = await answers(tx, hasConfig);
          assert.equal(plainly[0], name === 'a' ? 1 : 0);
          assert.deepEqual(await answers(cache.reading(tx), hasConfig), plainly, `${name}, asked ${i + 1} times`);
        });
      }
    }
  });
});
