/**
 * Answers from the cache are those of a controller without one, whichever controller writes in between; and a change ends what depends on
 * it, and nothing else.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { HostRule } from '../../src/call/pipeline/host-rule.ts';
import { symbolsFor } from '../../src/call/resources/symbols.ts';
import { kinds } from '../../src/contract/api/index.ts';
import { ALL, and, dateField, equals, oneOf, type Predicate, readFilter, stringField } from '../../src/query/index.ts';
import { CachedTransaction } from '../../src/store/read-cache/cached-transaction.ts';
import { createReadCache } from '../../src/store/read-cache/read-cache.ts';
import type { Query, Read, Row, Transaction } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { openBesideReadCache } from '../support/read-caches.ts';
import { newSharedStorage, numRuns } from '../support/stores.ts';

/** Words that names, tags and role attributes are made of, so that questions and rows often meet. */
const WORDS = ['a', 'b'] as const;
const PASSWORD = 'a-good-Passw0rd';
const LATER = '2100-01-01T00:00:00.000Z';
const ID = stringField('id');
const hasName = (name: string): Predicate => equals(stringField('name'), name);
const ofIdentities = (ids: readonly string[]): Predicate => oneOf(stringField('identityId'), ids);
/** Since a quarter of an hour after tests begin. */
const recentlyActive: Predicate = { op: 'compare', field: dateField('lastActivityAt'), is: '>', value: '2026-11-21T10:15:00.000Z' };
const withConfig = (where: Predicate): Predicate => ({ op: 'size', set: 'configs', is: '>=', value: 1, of: { kind: 'config', where } });

const word = fc.constantFrom(...WORDS);
const of = fc.nat({ max: WORDS.length - 1 });

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
const condition = (...leaves: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.letrec<{ where: string }>((tie) => ({
    where: fc.oneof(
      { maxDepth: 2 },
      { weight: 6, arbitrary: fc.oneof(...leaves) },
      { weight: 1, arbitrary: tie('where').map((term) => `not (${term})`) },
      {
        weight: 1,
        arbitrary: fc.tuple(tie('where'), fc.constantFrom('and', 'or'), tie('where')).map(([a, join, b]) => `(${a} ${join} ${b})`),
      },
    ),
  })).where;

const name = word.map((each) => ({ name: each }));
const tag = word.map((each) => ({ tags: { tag: each } }));
const roleAttributes = fc.subarray([...WORDS]).map((each) => ({ roleAttributes: each }));
const roles = fc.subarray([...WORDS.map((each) => `#${each}`), '@0'], { minLength: 1 });
/** Changes and questions by collection. Numbers are places in a collection. */
const collections = {
  configs: { kind: 'config', changes: fc.oneof(name, tag), filter: condition(plain) },
  services: {
    kind: 'service',
    changes: fc.oneof(
      name,
      tag,
      roleAttributes,
      fc.subarray([0, 1]).map((each) => ({ configs: each })),
    ),
    filter: condition(plain, attributes, aboutSet('configs'), aboutSet('configs')),
  },
  'auth-policies': { kind: 'authPolicy', changes: fc.oneof(name, tag), filter: condition(plain) },
  identities: {
    kind: 'identity',
    changes: fc.oneof(
      name,
      tag,
      roleAttributes,
      of.map((each) => ({ authPolicyId: each })),
      fc.boolean().map((isAdmin) => ({ isAdmin })),
    ),
    filter: condition(plain, attributes),
  },
  'service-policies': {
    kind: 'servicePolicy',
    changes: fc.oneof(
      name,
      roles.map((serviceRoles) => ({ serviceRoles })),
      roles.map((identityRoles) => ({ identityRoles })),
    ),
    filter: condition(plain, aboutSet('services'), aboutSet('identities'), fc.constant('semantic = "AnyOf"')),
  },
} as const;
type Collection = keyof typeof collections;
type Fields = Readonly<Record<string, unknown>>;
const COLLECTIONS = Object.keys(collections) as readonly Collection[]; // its keys

/** Lists below an entity. */
const BELOW: Readonly<Partial<Record<Collection, readonly Collection[]>>> = {
  services: ['identities', 'service-policies', 'configs'],
  'service-policies': ['services'],
  configs: ['services'],
  identities: ['service-policies', 'services'],
};
const question = fc.oneof(
  ...COLLECTIONS.flatMap((collection) =>
    [undefined, ...(BELOW[collection] ?? [])].map((parent) =>
      fc.record({
        collection: fc.constant(collection),
        parent: fc.constant(parent),
        of,
        filter: collections[collection].filter,
        order: orders,
      }),
    ),
  ),
);
type Question = typeof question extends fc.Arbitrary<infer Q> ? Q : never;

/** Events in the life of a user. */
const events = {
  enroll: (app: App, id: string) => app.request('POST', '/enrollments', { body: { method: 'ott', identityId: id, expiresAt: LATER } }),
  password: (app: App, id: string) => {
    const body = { method: 'updb', identityId: id, username: id, password: PASSWORD };
    return app.request('POST', '/authenticators', { body });
  },
  noPassword: (app: App, id: string) => removeAll(app, '/authenticators', id),
  login: (app: App, id: string) => app.login(id, PASSWORD),
  logout: (app: App, id: string) => removeAll(app, '/api-sessions', id),
  off: (app: App, id: string) => app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 0 } }),
  offForAWhile: (app: App, id: string) => app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 10 } }),
  on: (app: App, id: string) => app.request('POST', `/identities/${id}/enable`),
} as const;
type Event = keyof typeof events;
const EVENTS = Object.keys(events) as readonly Event[]; // its keys
const removeAll = async (app: App, path: string, identityId: string): Promise<void> => {
  const filter = encodeURIComponent(`identity = "${identityId}"`);
  for (const { id } of (await app.request('GET', `${path}?filter=${filter}`)).body.data) await app.request('DELETE', `${path}/${id}`);
};

interface Change {
  readonly collection: Collection;
  readonly fields: Fields;
}
interface Step {
  readonly by: number;
  readonly of: number;
  readonly does: Change | Event | 'wait';
}
/** Configs more often than others: nothing but subqueries depends on them. */
const changes = ([...COLLECTIONS, 'configs'] as const).map((collection) =>
  fc.record({ collection: fc.constant(collection), fields: collections[collection].changes as fc.Arbitrary<Fields> }),
);
const does: fc.Arbitrary<Step['does']> = fc.oneof(...changes, fc.constantFrom(...EVENTS, 'wait' as const));
const step: fc.Arbitrary<Step> = fc.record({ by: of, of, does });

/** Two controllers that remember, one that does not, and a cache beside them, on one store. */
const openNetwork = async (store: string, limit: string) => {
  const shared = newSharedStorage(store);
  const authorize: HostRule = ({ actor, right }) =>
    actor.identity?.isAdmin === false && right?.startsWith('service.') ? { where: limit } : undefined;
  const opened = (settings = {}) => openApp(store, { storage: shared.adapter(), settings, authorize });
  const [app, other, forgetful] = [await opened(), await opened(), await opened({ readCacheBytes: 0, roleIndexBytes: 0 })];
  const beside = await shared.adapter().open(storageSchema);
  const ids: Record<Collection, string[]> = { configs: [], services: [], 'auth-policies': [], identities: [], 'service-policies': [] };
  for (const [i, each] of WORDS.entries()) {
    // A service has only one config of each type.
    const configTypeId = await app.create('/config-types', { name: `type ${i}` });
    const named = { name: `a${i}` };
    ids.configs.push(await app.create('/configs', { ...named, configTypeId, data: {} }));
    const roleAttributes = [each];
    ids.services.push(await app.create('/services', { ...named, encryptionRequired: true, roleAttributes, configs: [ids.configs[i]] }));
    ids['auth-policies'].push(await app.create('/auth-policies', policyBody(`a${i}`)));
    ids.identities.push(await app.create('/identities', { ...named, type: 'User', isAdmin: false, roleAttributes }));
    const policy = { serviceRoles: [`#${each}`], identityRoles: [`#${each}`], type: 'Dial', semantic: 'AnyOf' };
    ids['service-policies'].push(await app.create('/service-policies', { ...named, ...policy }));
    await events.password(app, ids.identities[i] ?? '');
  }
  const limited = await (await app.user()).login();
  const asUsers = await Promise.all(ids.identities.map(async (id) => (await app.login(id, PASSWORD)).body.data.token as string));
  return {
    remembering: [app, other] as const,
    forgetful,
    beside,
    cache: createReadCache(100_000_000),
    ids,
    limited,
    asUsers,
    [Symbol.asyncDispose]: async () => {
      await beside.close();
      for (const each of [app, other, forgetful, shared]) await each[Symbol.asyncDispose]();
    },
  };
};
type Network = Awaited<ReturnType<typeof openNetwork>>;

const REFERS: Readonly<Record<string, Collection>> = {
  authPolicyId: 'auth-policies',
  identityRoles: 'identities',
  serviceRoles: 'services',
};

/** Names are unique because each entity has its place in them. */
const change = async (app: App, ids: Network['ids'], { collection, fields }: Change, at: number): Promise<void> => {
  const body = Object.entries(fields).map(([field, value]) => {
    const referred = ids[REFERS[field] ?? 'configs'];
    const named = (each: unknown): unknown => (typeof each === 'number' ? referred[each] : each === '@0' ? `@${referred[0]}` : each);
    return [field, field === 'name' ? `${value}${at}` : Array.isArray(value) ? value.map(named) : named(value)];
  });
  const { status, text } = await app.request('PATCH', `/${collection}/${ids[collection][at]}`, { body: Object.fromEntries(body) });
  assert.equal(status, 200, text);
};

const take = async ({ remembering, forgetful, ids, asUsers }: Network, { by, of: at, does }: Step): Promise<void> => {
  const app = remembering[by] ?? remembering[0];
  if (typeof does === 'object') await change(app, ids, does, at);
  else if (does !== 'wait') await events[does](app, ids.identities[at] ?? '');
  else
    for (const each of [...remembering, forgetful]) {
      each.clock.advance('20m');
      for (const as of [each.admin, asUsers[at] ?? '']) await each.request('GET', '/current-identity', { as }); // keeps their sessions
      await each.settled();
    }
};

/** Asked twice of each controller that remembers: the second answer may be a remembered one. */
const assertSameAnswers = async ({ remembering, forgetful }: Network, path: string, as: string): Promise<void> => {
  const { status, body } = await forgetful.request('GET', path, { as });
  for (const app of remembering)
    for (let i = 0; i < 2; i++) {
      const answer = await app.request('GET', path, { as });
      assert.equal(answer.status, status, decodeURIComponent(path));
      // A refusal has an id of its request.
      if (status === 200) assert.deepEqual(answer.body, body, decodeURIComponent(path));
    }
};
const compareAnswers = async (network: Network, questions: readonly Question[], limit: string): Promise<void> => {
  const { ids, forgetful, limited } = network;
  const asAdmin = forgetful.admin;
  for (const { collection, parent, of: at, filter, order } of questions) {
    const below = parent ? `/${parent}/${ids[parent][at]}` : '';
    await assertSameAnswers(network, `${below}/${collection}?filter=${encodeURIComponent(filter + order)}`, asAdmin);
  }
  await assertSameAnswers(network, '/identities?limit=2&offset=1&sort=name', asAdmin);
  for (const each of ['identities', 'services', 'service-policies'] as const)
    for (const id of ids[each]) await assertSameAnswers(network, `/${each}/${id}`, asAdmin);
  await assertSameAnswers(network, '/services?limit=1', limited);
  await assertSameAnswers(network, `/services?filter=${encodeURIComponent(limit)}`, limited);
  for (const id of ids.services) await assertSameAnswers(network, `/services/${id}`, limited);
};

/** Fields whose changes are not recorded, so that a derivation must not see them. */
const VOLATILE = ['lastActivityAt', 'failedAttempts', 'lastAuthResolvedToRoot'];
const recordedOf = (row: Row) => Object.fromEntries(Object.entries(row).filter(([field]) => !VOLATILE.includes(field)));

/** Everything that a transaction may be asked, about one question. */
const readings = async (tx: Transaction, question: Question, ids: Network['ids']): Promise<readonly unknown[]> => {
  const { collection, filter, order, of: at } = question;
  const { kind } = collections[collection];
  const { where, sort = [], skip, limit } = readFilter(filter + order, symbolsFor(kinds[kind]));
  const query: Query = { where, sort, offset: skip ?? 0, ...(typeof limit === 'number' ? { limit } : {}) };
  const [some, [one = '']] = [ids[collection], [ids[collection][at]]];
  const owner = await tx.get('service', ids.services[at] ?? '');
  const own = oneOf(ID, (owner?.configs ?? []) as readonly string[]); // a set
  const reads: readonly Read[] = [
    { read: 'list', kind, query },
    { read: 'list', kind, query: { where: oneOf(ID, some.toReversed()) } },
    { read: 'list', kind, query: { where: oneOf(ID, some), limit: 1 } },
    { read: 'list', kind, query: { where: and(equals(ID, one), where), limit: 1 } },
    { read: 'referenced', kind, field: 'id', values: some.slice(at), where },
    { read: 'referenced', kind, field: 'id', values: [...some, 'other'], where },
    { read: 'referenced', kind: 'authenticator', field: 'identityId', values: ids.identities },
    {
      read: 'referenced',
      kind: 'authenticator',
      field: 'identityId',
      values: ids.identities,
      where: equals(stringField('method'), 'cert'),
    },
    { read: 'referenced', kind: 'apiSession', field: 'identityId', values: ids.identities, where: recentlyActive },
  ];
  const below = async (reader: Transaction, owners: readonly string[]) => {
    const query = { where: ofIdentities(owners) };
    const each = await Promise.all(['authenticator', 'enrollment', 'apiSession'].map((held) => reader.list(held, query)));
    return each.flat();
  };
  /** Text forms of rows, by what is read for them besides. */
  const forms: Readonly<Record<string, (reader: Transaction, owners: readonly string[]) => Promise<readonly (Row | string)[]>>> = {
    below,
    [`one ${at}`]: async (reader) => [(await reader.get('service', ids.services[at] ?? '')) ?? 'none'],
    ofRoles: (reader) => reader.list('service', { where: oneOf(ID, ids.services) }),
    [`${kind} ${filter}`]: (reader) => reader.list(kind, { where }),
    // Identities name authentication policies: a text may tell only of the one that its own row names.
    [`through ${kind} ${filter}`]: async (reader) =>
      (await reader.referenced(kind, 'id', kind === 'authPolicy' ? [] : some, where)).toSorted(), // in no order
    active: (reader, owners) => reader.list('apiSession', { where: and(ofIdentities(owners), recentlyActive) }),
  };
  const derived = async (form: string, source: Query | readonly Row[]) => {
    const derive = async (reader: Transaction, rows: readonly Row[]) => {
      const found =
        (await forms[form]?.(
          reader,
          rows.map(({ id }) => id),
        )) ?? [];
      return rows.map((row) => {
        const own = found.filter((each) =>
          typeof each === 'string' ? !ids.identities.includes(each) || each === row.id : (each.identityId ?? row.id) === row.id,
        );
        return JSON.stringify(
          [row, own].flat().map((each) => (typeof each === 'string' || tx instanceof CachedTransaction ? each : recordedOf(each))),
        );
      });
    };
    if (tx instanceof CachedTransaction)
      return (await tx.remember('identity', source, { form, fields: [], derive })).map(({ value }) => value);
    return derive(tx, Array.isArray(source) ? source : await tx.list('identity', source as Query));
  };
  const both: Query = { where: oneOf(ID, ids.identities) };
  const values: unknown[] = [
    await tx.list(kind, query),
    await tx.count(kind, where),
    await tx.count(kind, and(equals(ID, one), where)),
    await tx.distinct('service', 'roleAttributes'),
    ...(await tx.readAll(reads)).map((answer, i) => (reads[i]?.read === 'referenced' ? (answer as readonly string[]).toSorted() : answer)), // values in no order
    await tx.get(kind, one),
    await (tx instanceof CachedTransaction && owner ? tx.listFor('config', 'own', owner, () => own) : tx.list('config', { where: own })),
  ];
  for (const each of WORDS) {
    const byName = await tx.list(kind, { where: hasName(each + at), limit: 1 });
    values.push(tx instanceof CachedTransaction ? await tx.getBy(kind, 'name', each + at) : byName[0]);
  }
  for (const form of Object.keys(forms)) values.push(await derived(form, both), await derived(form, await tx.list('identity', both)));
  return values;
};

onEveryStore('what is remembered', (_, store) => {
  test('is what is read without a memory, whichever controller writes in between', async () => {
    const property = fc.asyncProperty(
      fc.array(question, { minLength: 3, maxLength: 6 }),
      condition(aboutSet('configs')),
      fc.array(step, { minLength: 8, maxLength: 14 }),
      async (questions, limit, steps) => {
        await using network = await openNetwork(store, limit);
        const { beside, cache, ids, remembering, forgetful, limited, asUsers } = network;
        // The sets of policies are no sets of the store: what a policy selects is computed.
        const asked = questions.filter(({ collection }) => collection !== 'service-policies');
        const compareReadings = async (tx: Transaction, cached = cache.reading(tx), some = asked) => {
          for (const each of some) {
            const expected = await readings(tx, each, ids);
            for (let i = 0; i < 2; i++) assert.deepEqual(await readings(cached, each, ids), expected, each.filter);
          }
        };
        for (const each of steps) {
          await compareAnswers(network, questions, limit);
          await beside.transaction('read', async (earlier) => {
            await earlier.revision();
            const cached = cache.reading(earlier);
            await take(network, each);
            await beside.transaction('read', (tx) => compareReadings(tx));
            // It began before the step, and sees nothing of it.
            await compareReadings(earlier, cached, asked.slice(0, 1));
          });
        }
        await compareAnswers(network, questions, limit);
        for (const as of asUsers) await assertSameAnswers(network, '/current-identity', as);
        const [service] = ids.services;
        const { status } = await forgetful.request('GET', `/services/${service}`, { as: limited });
        assert.equal((await remembering[0].request('DELETE', `/services/${service}`, { as: limited })).status, status);
        await compareAnswers(network, questions, limit);
      },
    );
    await fc.assert(property, numRuns(store, store === 'memory' ? 10 : 4));
  });

  /** Texts made of the rows of Ann and Bob, and of what is read for them besides. */
  const ground = async (maxBytes?: number) => {
    const beside = await openBesideReadCache(store, maxBytes);
    const { cache, ann, bob } = beside;
    const names = new Map(Object.entries({ ann, bob }).map(([each, { id }]) => [id, each]));
    const both: Query = { where: oneOf(ID, [ann.id, bob.id]) };
    /** For which of them a text is made. */
    const made = (read: Reading, { form = String(read), asPage = false } = {}): Promise<string> =>
      beside.store.transaction('read', async (tx) => {
        const rowsOf: string[] = [];
        const derive = async (reader: Transaction, rows: readonly Row[]) => {
          const ids = rows.map(({ id }) => id);
          await read(reader, ids);
          rowsOf.push(...ids.map((id) => names.get(id) ?? '?'));
          return ids;
        };
        const texts = await cache
          .reading(tx)
          .remember('identity', asPage ? both : await tx.list('identity', both), { form, fields: [], derive });
        assert.deepEqual(texts.map(({ row }) => row.id).toSorted(), [ann.id, bob.id].toSorted());
        return rowsOf.toSorted().join(' ');
      });
    return { ...beside, names, made };
  };
  type Reading = (reader: Transaction, ids: readonly string[]) => Promise<unknown>;

  test('is read again after a change that it depends on, and after no other; and nothing of what is sealed or volatile is', async () => {
    await using it = await ground();
    const { app, ann, bob, names } = it;
    const configTypeId = await app.create('/config-types', { name: 'type' });
    const config = await app.create('/configs', { name: 'config', configTypeId, data: {} });
    const service = await app.create('/services', { name: 'web', encryptionRequired: true, configs: [config] });
    await app.create('/enrollments', { method: 'ott', identityId: ann.id, expiresAt: LATER });
    const hasConfig = withConfig(hasName('config'));
    const forms: Readonly<Record<string, Reading>> = {
      own: (reader, ids) => reader.list('authenticator', { where: ofIdentities(ids) }),
      one: (reader) => reader.list('service', { where: equals(ID, service) }),
      all: (reader) => reader.list('service', { where: ALL }),
      through: (reader) => reader.list('service', { where: and(equals(ID, service), hasConfig) }),
      throughReference: (reader) => reader.referenced('service', 'id', [service], hasConfig),
      sealed: (reader, ids) => reader.list('enrollment', { where: ofIdentities(ids) }),
      sealedOfAnn: (reader) => reader.list('enrollment', { where: ofIdentities([ann.id]) }),
      allSealed: (reader) => reader.list('enrollment', { where: ALL }),
      volatile: (reader) => reader.list('apiSession', { where: recentlyActive }),
    };
    /** For whom each text is made, and of which identities the store is asked whether they have authenticators. */
    const again = async (): Promise<Readonly<Record<string, string>>> => {
      const asked = it.store.transaction('read', async (tx) => {
        const values: string[] = [];
        const noting = new Proxy(tx, {
          get: (of, name: keyof Transaction) => {
            const operation: unknown = of[name];
            if (typeof operation !== 'function') return operation;
            return (...args: readonly unknown[]) => {
              if (name === 'referenced') values.push(...(args[2] as readonly string[])); // its values
              return operation.apply(of, args);
            };
          },
        });
        await it.cache.reading(noting).referenced('authenticator', 'identityId', [...names.keys(), ...names.keys()]);
        return values
          .map((id) => names.get(id))
          .toSorted()
          .join(' ');
      });
      const texts = Object.entries(forms).map(async ([form, read]) => [form, await it.made(read, { form })]);
      return { ...Object.fromEntries(await Promise.all(texts)), references: await asked };
    };
    const always = { own: '', one: '', all: '', through: '', throughReference: '', references: '' };
    const uncached = { sealed: 'ann', sealedOfAnn: 'ann', allSealed: 'ann bob', volatile: 'ann bob' };
    const patch = (path: string, body: object) => app.request('PATCH', path, { body });
    const [tags, forBoth] = [{ a: 'b' }, 'ann bob'];
    const changes: Readonly<Record<string, readonly [work: () => Promise<unknown>, again: Readonly<Record<string, string>>]>> = {
      nothing: [async () => undefined, {}],
      'a row': [
        () => patch(`/identities/${bob.id}`, { tags }),
        { own: 'bob', one: 'bob', all: 'bob', through: 'bob', throughReference: 'bob', sealed: forBoth, sealedOfAnn: forBoth },
      ],
      'a row below': [
        () => patch(`/authenticators/${ann.authenticatorId}`, { username: 'anna', password: PASSWORD }),
        { own: 'ann', references: 'ann' },
      ],
      'a row below that goes': [() => app.request('DELETE', `/authenticators/${ann.authenticatorId}`), { own: 'ann', references: 'ann' }],
      'another row': [
        async () => names.set(await app.create('/identities', { name: 'carl', type: 'User', isAdmin: false }), 'carl'),
        { references: 'carl' },
      ],
      'the row that is read': [
        () => patch(`/services/${service}`, { tags }),
        { one: forBoth, all: forBoth, through: forBoth, throughReference: forBoth },
      ],
      'another row of its table': [() => app.create('/services', { name: 'other', encryptionRequired: true }), { all: forBoth }],
      'a row of the subquery': [() => patch(`/configs/${config}`, { tags }), { through: forBoth, throughReference: forBoth }],
    };
    await again();
    for (const [changed, [work, expected]] of Object.entries(changes)) {
      await work();
      assert.deepEqual(await again(), { ...always, ...uncached, ...expected }, changed);
      assert.deepEqual(await again(), { ...always, ...uncached }, `after ${changed}, asked again`);
    }
  });

  test('of pages, is what is asked for again, once there is little room', async () => {
    const own: Reading = (reader, ids) => reader.list('authenticator', { where: ofIdentities(ids) });
    await using roomy = await ground();
    assert.deepEqual([await roomy.made(own, { asPage: true }), await roomy.made(own, { asPage: true })], ['ann bob', '']);
    await using full = await ground(8000);
    for (let i = 0; i < 20; i++) await full.made(own, { form: `another form ${i}, which takes room` });
    const askedThrice = [1, 2, 3].map(() => () => full.made(own, { asPage: true }));
    const made: string[] = [];
    for (const ask of askedThrice) made.push(await ask());
    assert.deepEqual(made, ['ann bob', 'ann bob', ''], 'the second time it is asked for again, and remembered from then on');
  });
});
