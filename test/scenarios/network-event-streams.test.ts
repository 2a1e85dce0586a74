import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalsOf } from '../../src/controller/controller-inside.ts';
import { type Api, isApiError } from '../../src/index.ts';
import { countEntities } from '../../src/operations/network-events/entity-counts.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { ann } from '../support/events.ts';
import { until } from '../support/until.ts';

type Query = NonNullable<Parameters<Api['networkEvents']['follow']>[0]>;
type Event = Readonly<Record<string, unknown>>;

/** A follower, whose stream is open: the events that it has received since. */
const following = async (api: Api, query: Query = {}) => {
  const received: Event[] = [];
  const ending = new AbortController();
  const state = { received, error: undefined as unknown, hasEnded: false, end: () => ending.abort() };
  const read = async () => {
    for await (const event of api.networkEvents.follow({ ...query, signal: ending.signal })) received.push(event);
  };
  void read()
    .catch((error: unknown) => (state.error = error))
    .finally(() => (state.hasEnded = true));
  await until(() => received.length > 0 || state.hasEnded);
  assert.deepEqual(received.shift(), state.hasEnded ? undefined : { namespace: 'stream', event_type: 'opened' });
  return state;
};

const createService = ({ controller: { api } }: App, name: string) => api.services.create({ body: { name, encryptionRequired: true } });

const typesIn = (events: readonly Event[]) =>
  events.map(({ namespace, event_type, eventType }) => `${namespace} ${event_type ?? eventType}`);

const codeOf = (error: unknown) => (isApiError(error) ? error.code : error);

/** The reason in the refusal of a query. */
const reasonOf = async (app: App, query: Query): Promise<unknown> => {
  const { error } = await following(app.controller.api, query);
  assert.equal(codeOf(error), 'COULD_NOT_VALIDATE');
  return error instanceof Error && Object(error.cause).reason;
};

onEveryStore('a stream of network events', (open) => {
  test('has the events of all kinds, and ends with its signal', async () => {
    await using app = await open();
    const all = await following(app.controller.api);
    const user = await app.user();
    await user.login();
    await until(() => typesIn(all.received).includes('apiSession created'));
    assert.ok(typesIn(all.received).includes('entityChange committed'));
    all.end();
    await until(() => all.hasEnded);
  });

  test('has only the included types; of changes, those of the included entities with their commits', async () => {
    await using app = await open();
    const services = await following(app.controller.api, { types: ['entityChange'], include: ['services'] });
    const parents = await following(app.controller.api, { types: ['entityChange'], include: ['services'], includeParentEvents: true });
    const ended = await following(app.controller.api, { types: ['apiSession'], include: ['deleted'] });
    const user = await app.user();
    await user.login();
    await createService(app, 'web');
    await app.request('DELETE', `/identities/${user.id}`);
    await until(() => ended.received.length === 1);
    assert.deepEqual(typesIn(services.received), ['entityChange created', 'entityChange committed']);
    assert.deepEqual(
      parents.received.map(({ isParentEvent }) => isParentEvent),
      [true, false, undefined],
    );
    assert.deepEqual(typesIn(ended.received), ['apiSession deleted']);
  });

  test('has an event once, however often its kind is named', async () => {
    await using app = await open();
    const { received } = await following(app.controller.api, { types: Array.from({ length: 50 }, () => 'apiSession') });
    await (await app.user()).login();
    await until(() => received.length > 0);
    await app.settled();
    assert.deepEqual(typesIn(received), ['apiSession created']);
  });

  test('of an earlier name says that name as its namespace', async () => {
    await using app = await open();
    const { received } = await following(app.controller.api, { types: ['edge.apiSessions'] });
    await (await app.user()).login();
    await until(() => received.length === 1);
    assert.deepEqual(typesIn(received), ['edge.apiSessions created']);
  });

  test('counts entities at its interval, and soon after it has begun', async () => {
    await using app = await open();
    const { received } = await following(app.controller.api, { types: ['entityCount'], interval: '30s' });
    app.clock.advance('1s');
    await until(() => received.length === 1);
    await createService(app, 'web');
    app.clock.advance('30s');
    await until(() => received.length === 2);
    const counts = received.map((event) => (event.counts as Readonly<Record<string, number>>)['services']);
    assert.deepEqual(counts, [0, 1]);
    assert.deepEqual(Object.keys(received[0]?.counts ?? {}), [
      ...['apiSessionCertificates', 'apiSessions', 'authPolicies', 'authenticators', 'cas', 'configTypes', 'configs', 'controllers'],
      ...['edgeRouterPolicies', 'enrollments', 'eventualEvents', 'externalJwtSigners', 'identities', 'identityTypes', 'mfas'],
      ...['postureCheckTypes', 'postureChecks', 'revocations', 'routers', 'routers.edge', 'serviceEdgeRouterPolicies'],
      ...['servicePolicies', 'services', 'services.edge', 'sessions', 'terminators'],
    ]);
  });

  test('counts entities once at a time, however long a count takes', async () => {
    await using app = await open();
    const { core } = internalsOf(app.controller);
    const first = countEntities(core);
    app.clock.advance('10s');
    assert.equal(countEntities(core), first);
    await first;
    app.clock.advance('10s');
    assert.notEqual(countEntities(core), first);
    await app.settled();
  });

  test('refuses what no subscription has, in the words of the reference', async () => {
    await using app = await open();
    const refusals: readonly (readonly [Query, string | RegExp])[] = [
      [{ types: ['circuits'] }, "there are no network events 'circuits': did you mean 'circuit'?"],
      [{ types: ['usage'], version: 4 }, 'unsupported usage version: 4'],
      [
        { types: ['circuit'], include: ['x'] },
        'invalid include x for fabric.circuits. valid values are [created pathUpdated deleted failed]',
      ],
      [
        { types: ['apiSession'], include: ['refreshed'] },
        "invalid include refreshed for apiSession. valid values are ['created', 'deleted']",
      ],
      [
        { types: ['entityChange'], include: ['nix'] },
        /^invalid entity type \[nix\] in entityChange events include list, valid values include: \[/,
      ],
      [{ types: ['entityCount'], interval: 'x' }, `invalid duration value for edge.entityCounts interval: 'x': time: invalid duration "x"`],
      [{ types: ['metrics'], sourceFilter: '(' }, /^error parsing regexp: missing closing \)/],
      // Compiling these would take seconds, and hundreds of megabytes.
      [
        { types: ['metrics'], metricFilter: 'a{100}'.repeat(80) },
        'a regular expression has at most 512 characters, and 200 repetitions in braces',
      ],
      [{ types: ['metrics'], sourceFilter: '(x{1,14}){0,200}' }, /^a regular expression has at most 512 characters/],
      [{ types: ['metrics'], metricFilter: '(\\pL{40}){25}|(\\pL{40}){25}' }, 'the regular expression is too large'],
    ];
    for (const [query, expected] of refusals) {
      const reason = await reasonOf(app, query);
      if (typeof expected === 'string') assert.equal(reason, expected);
      else assert.match(String(reason), expected);
    }
  });

  test('tells a follower that does not read how many events it has missed', async () => {
    await using app = await open();
    const id = await app.create('/identities', ann);
    const iterator = app.controller.api.networkEvents.follow({ types: ['entityChange'], include: ['identities'] })[Symbol.asyncIterator]();
    await iterator.next();
    const operations = Array.from({ length: 100 }, () => ({ operation: 'identities.patch', input: { id, body: { name: 'ann' } } }));
    for (let i = 0; i < 12; i++) await app.controller.api.batch.run({ body: { operations } });
    let count = 0;
    let missed: unknown;
    while (missed === undefined) {
      const { value } = await iterator.next();
      if (value?.event_type === 'gap') missed = value.missed;
      else count++;
    }
    assert.ok(count > 1000 && count <= 2000, `${count} are kept: 2,000 or 1 MB`);
    assert.equal(count + Number(missed), 2400);
    await iterator.return?.();
  });
});

onEveryStore('rights to network events', (open) => {
  test('a holder of ops.read sees none about identities, and gets an error that says so if it asks for them', async () => {
    await using app = await open();
    const delegate = await app.user({ permissions: ['ops.read'] });
    const api = app.controller.as(await delegate.login());
    const all = await following(api);
    const auditor = await app.user({ permissions: ['admin_readonly'] });
    const audited = await following(app.controller.as(await auditor.login()));
    await createService(app, 'web');
    const [service] = (await app.controller.api.services.list()).data;
    assert.ok(service);
    await until(() => audited.received.length > 0);
    assert.deepEqual(all.received, []);
    for (const types of [['entityChange'], ['session'], ['apiSession'], ['authentication'], ['edge.sessions']]) {
      const { error } = await following(api, { types });
      assert.equal(codeOf(error), 'COULD_NOT_VALIDATE', types[0]);
    }
  });

  test('a caller without rights sees none, and a stream ends with the right that opened it', async () => {
    await using app = await open();
    const { error } = await following(app.controller.as(await (await app.user()).login()));
    assert.equal(codeOf(error), 'UNAUTHORIZED');
    const admin = await app.user({ isAdmin: true });
    const token = await admin.login();
    const [stream, idle] = [await following(app.controller.as(token)), await following(app.controller.as(token), { types: ['circuit'] })];
    await app.controller.api.identities.patch({ id: admin.id, body: { isAdmin: false } });
    await app.settled();
    app.clock.advance('5s');
    await createService(app, 'the-last');
    await until(() => stream.hasEnded && idle.hasEnded);
    assert.ok(!JSON.stringify(stream.received).includes('the-last'));
  });

  test('an auditor who becomes a holder of ops.read gets no more events about identities', async () => {
    await using app = await open();
    const auditor = await app.user({ permissions: ['admin_readonly'] });
    const stream = await following(app.controller.as(await auditor.login()));
    await app.controller.api.identities.patch({ id: auditor.id, body: { permissions: ['ops.read'] } });
    await app.settled();
    app.clock.advance('5s');
    await createService(app, 'the-last');
    await until(() => stream.hasEnded);
    assert.ok(!JSON.stringify(stream.received).includes('the-last'));
  });
});
