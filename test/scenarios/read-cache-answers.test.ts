/** The read cache gives the same answers as a controller without one, and a change removes only what depends on it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { HostRule } from '../../src/call/pipeline/host-rule.ts';
import { ALL, and, equals, oneOf, type Predicate } from '../../src/query/index.ts';
import { createReadCache } from '../../src/store/read-cache/read-cache.ts';
import type { Query, Row, Transaction } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { type App, onEveryStore, openApp, PASSWORD } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { openBesideReadCache } from '../support/read-cache/beside.ts';
import {
  type Change,
  type Collection,
  events,
  LATER,
  limitByConfigs,
  type Question,
  question,
  type Step,
  step,
  WORDS,
} from '../support/read-cache/questions.ts';
import { hasName, ID, ofIdentities, readings, recentlyActive } from '../support/read-cache/readings.ts';
import { newSharedStorage, numRuns } from '../support/stores.ts';

const withConfig = (where: Predicate): Predicate => ({ op: 'size', set: 'configs', is: '>=', value: 1, of: { kind: 'config', where } });

/** Two controllers with a read cache, one without, and a cache beside them, on one store. */
const openNetwork = async (store: string, limit: string) => {
  const shared = newSharedStorage(store);
  const authorize: HostRule = ({ actor, right }) =>
    actor.identity?.isAdmin === false && right?.startsWith('service.') ? { where: limit } : undefined;
  const opened = (settings = {}) => openApp(store, { storage: shared.adapter(), settings, authorize });
  const [app, other, uncached] = [await opened(), await opened(), await opened({ readCacheBytes: 0, roleIndexBytes: 0 })];
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
    caching: [app, other] as const,
    uncached,
    beside,
    cache: createReadCache(100_000_000),
    ids,
    limited,
    asUsers,
    [Symbol.asyncDispose]: async () => {
      await beside.close();
      for (const each of [app, other, uncached, shared]) await each[Symbol.asyncDispose]();
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

const take = async ({ caching, uncached, ids, asUsers }: Network, { by, of: at, does }: Step): Promise<void> => {
  const app = caching[by] ?? caching[0];
  if (typeof does === 'object') await change(app, ids, does, at);
  else if (does !== 'wait') await events[does](app, ids.identities[at] ?? '');
  else
    for (const each of [...caching, uncached]) {
      each.clock.advance('20m');
      for (const as of [each.admin, asUsers[at] ?? '']) await each.request('GET', '/current-identity', { as }); // keeps their sessions
      await each.settled();
    }
};

/** Each controller with a read cache is asked twice: the second answer may come from its cache. */
const assertSameAnswers = async ({ caching, uncached }: Network, path: string, as: string): Promise<void> => {
  const { status, body } = await uncached.request('GET', path, { as });
  for (const app of caching)
    for (let i = 0; i < 2; i++) {
      const answer = await app.request('GET', path, { as });
      assert.equal(answer.status, status, decodeURIComponent(path));
      // A refusal has an id of its request.
      if (status === 200) assert.deepEqual(answer.body, body, decodeURIComponent(path));
    }
};
const compareAnswers = async (network: Network, questions: readonly Question[], limit: string): Promise<void> => {
  const { ids, uncached, limited } = network;
  const asAdmin = uncached.admin;
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

onEveryStore('the read cache', (_, store) => {
  test('gives the answers of a controller without a cache, whichever controller writes in between', async () => {
    const property = fc.asyncProperty(
      fc.array(question, { minLength: 3, maxLength: 6 }),
      limitByConfigs,
      fc.array(step, { minLength: 8, maxLength: 14 }),
      async (questions, limit, steps) => {
        await using network = await openNetwork(store, limit);
        const { beside, cache, ids, caching, uncached, limited, asUsers } = network;
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
        const { status } = await uncached.request('GET', `/services/${service}`, { as: limited });
        assert.equal((await caching[0].request('DELETE', `/services/${service}`, { as: limited })).status, status);
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

  test('derives a text again after a change that the text depends on, and after no other; it never keeps texts of sealed or volatile fields', async () => {
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

  test('keeps the texts of a page, when it is nearly full, only once they have been requested a second time', async () => {
    const own: Reading = (reader, ids) => reader.list('authenticator', { where: ofIdentities(ids) });
    await using roomy = await ground();
    assert.deepEqual([await roomy.made(own, { asPage: true }), await roomy.made(own, { asPage: true })], ['ann bob', '']);
    await using full = await ground(8000);
    for (let i = 0; i < 20; i++) await full.made(own, { form: `another form ${i}, which takes room` });
    const askedThrice = [1, 2, 3].map(() => () => full.made(own, { asPage: true }));
    const made: string[] = [];
    for (const ask of askedThrice) made.push(await ask());
    assert.deepEqual(made, ['ann bob', 'ann bob', ''], 'kept at the second request');
  });
});
