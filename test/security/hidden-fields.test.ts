/** Clients may ask for what their lists show, and cannot find out by a filter or an order what these do not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { OWN_RIGHT } from '../../src/call/grant.ts';
import { allKinds } from '../../src/call/resources/kinds.ts';
import { symbolsOfList } from '../../src/call/resources/symbols.ts';
import { defaultSettings } from '../../src/call/settings.ts';
import { groups } from '../../src/contract/api/index.ts';
import { enrollment } from '../../src/contract/api/kinds.ts';
import { surfaces } from '../../src/contract/api/surfaces/index.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { network } from '../support/network.ts';

const CLIENT = '/edge/client/v1';
const BASE = ['id', 'createdAt', 'updatedAt', 'isSystem', 'tags'];

/** Where what clients may ask for stands in the answers, unless it has the same name there. Told by hand: it is what is tested. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  apiSession: 'apiSessionId',
  service: 'serviceId',
  'service.name': 'service',
  router: 'routerId',
  instanceId: 'identity',
  identity: 'identityId',
  certFingerprint: 'fingerprint',
  updbUsername: 'username',
  online: 'isOnline',
  connected: 'syncStatus',
};

/** A network of one service that Ann may dial, with all that she is not shown. */
const ground = async (app: App) => {
  const net = network(app);
  const user = await app.user();
  const as = await user.login();
  const type = await app.create('/config-types', { name: 'type' });
  const config = await app.create('/configs', { name: 'secret-config', configTypeId: type, data: {}, tags: { secret: 'a' } });
  const wiki = await app.create('/services', { name: 'wiki', encryptionRequired: true, configs: [config] });
  const router = await app.create('/edge-routers', { name: 'edge', cost: 7, roleAttributes: ['hidden'] });
  await app.alter('router', router, { isVerified: true, fingerprint: 'abcdef' });
  const terminator = await app.create('/terminators', {
    service: wiki,
    router,
    binding: 'edge',
    address: 'tcp:10.0.0.7:22',
    identity: 'one',
  });
  await app.alter('terminator', terminator, { hostId: 'the-host', sourceCtrl: 'ctrl-1' });
  await net.dial({ identities: [`@${user.id}`], services: [`@${wiki}`] });
  await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
  const ask = (path: string, query: Readonly<Record<string, string>>) =>
    app.request('GET', `${CLIENT}${path}?${new URLSearchParams(query)}`, { as });
  const found = async (path: string, filter: string): Promise<number> => {
    const { status, text, body } = await ask(path, { filter });
    assert.equal(status, 200, text);
    return body.meta.pagination.totalCount;
  };
  return { ask, found, wiki, config, router, terminators: `/services/${wiki}/terminators`, routers: '/current-identity/edge-routers' };
};
type Ground = Awaited<ReturnType<typeof ground>>;

/** Pairs of questions that differ only in whether they guess right. */
const guesses: readonly (readonly [string, (ground: Ground) => readonly [path: string, right: string, wrong: string]])[] = [
  ['the address of a terminator', (g) => [g.terminators, 'address contains "10.0.0.7"', 'address contains "10.0.0.8"']],
  ['the binding of a terminator', (g) => [g.terminators, 'binding = "edge"', 'binding = "none"']],
  ['the host of a terminator', (g) => [g.terminators, 'hostId in ["the-host"]', 'hostId in ["no-host"]']],
  ['the controller of a terminator', (g) => [g.terminators, 'sourceCtrl != "ctrl-1"', 'sourceCtrl != "ctrl-2"']],
  ['the router of a terminator by name', (g) => [g.terminators, 'not router.name = "edge"', 'not router.name = "other"']],
  ['the cost of a router', (g) => [g.routers, 'cost > 6', 'cost > 7']],
  ['the fingerprint of a router', (g) => [g.routers, 'fingerprint icontains "ABC"', 'fingerprint icontains "ABD"']],
  ['whether a router has a fingerprint', (g) => [g.routers, 'fingerprint = null', 'fingerprint = "x"']],
  ['the flags of a router', (g) => [g.routers, 'isTunnelerEnabled', 'isTunnelerEnabled = true']],
  ['the attributes of a router', (g) => [g.routers, 'anyOf(roleAttributes) = "hidden"', 'anyOf(roleAttributes) = "other"']],
  ['how many attributes a router has', (g) => [g.routers, 'count(roleAttributes) = 1', 'count(roleAttributes) = 2']],
  ['whether a router has attributes', (g) => [g.routers, 'not isEmpty(roleAttributes)', 'count(roleAttributes) > 3']],
];

onEveryStore('hidden fields', (open) => {
  for (const [what, questions] of guesses) {
    test(`a client cannot find out by asking: ${what}`, async () => {
      await using app = await open();
      const all = await ground(app);
      const [path, right, wrong] = questions(all);
      assert.equal((await all.ask(path, {})).body.data.length, 1);
      assert.equal(await all.found(path, right), await all.found(path, wrong));
    });
  }

  test('a client cannot find out by an order, nor by asking what a set refers to', async () => {
    await using app = await open();
    const { ask, found, terminators, routers, config, wiki } = await ground(app);
    for (const sort of ['address', 'binding', 'hostId', 'router.name'])
      assert.equal((await ask(terminators, { sort })).body.error.code, 'INVALID_SORT_IDENTIFIER');
    for (const sort of ['cost', 'fingerprint', 'isVerified']) assert.equal((await ask(routers, { sort })).status, 400);
    assert.equal((await ask(routers, { filter: 'true sort by cost' })).body.error.code, 'INVALID_FILTER');
    for (const field of ['name contains "secret"', 'tags.secret = "a"', 'createdAt > datetime(2000-01-01T00:00:00Z)'])
      assert.equal((await ask('/services', { filter: `not isEmpty(from configs where ${field})` })).body.error.code, 'INVALID_FILTER');
    // The ids stand in the answer.
    assert.equal(await found('/services', `count(from configs where id = "${config}") = 1 and anyOf(configs) = "${config}"`), 1);
    assert.equal(await found('/services', `isEmpty(from configs where id = "${wiki}")`), 1);
  });

  test('a client may ask for what it is shown, and an administrator for everything', async () => {
    await using app = await open();
    const { ask, found, terminators, routers, router, wiki } = await ground(app);
    assert.equal(
      await found(terminators, `router = "${router}" and service = "${wiki}" and service.name = "wiki" and instanceId = "one"`),
      1,
    );
    assert.equal(await found(terminators, 'instanceId = "two"'), 0);
    assert.equal(await found(routers, 'name = "edge" and not online and connected = false'), 1);
    assert.equal((await ask(terminators, { sort: 'service.name, instanceId desc' })).status, 200);
    for (const [path, filter] of [
      ['/terminators', 'address contains "0.7" and hostId = "the-host"'],
      ['/edge-routers', 'cost = 7'],
      ['/services', 'not isEmpty(from configs where name contains "secret")'],
    ])
      assert.equal((await app.request('GET', `${path}?filter=${encodeURIComponent(filter ?? '')}`)).body.data.length, 1, path);
  });
});

test('every list that clients have says what it shows, and withholds what it does not', async () => {
  const lists = Object.values(groups).flatMap(({ operations }) =>
    Object.values(operations).filter(
      ({ answer, surfaces: offered, query }) =>
        answer.is === 'page' && offered.includes(surfaces.client) && query && 'filter' in query.shape,
    ),
  );
  assert.equal(lists.length >= 8, true);
  for (const operation of lists) {
    assert.ok(operation.answer.is === 'page' && operation.answer.item instanceof z.ZodObject);
    const shown = Object.entries(operation.answer.item.shape).flatMap(([name, schema]) => (schema instanceof z.ZodNull ? [] : [name]));
    const kind =
      allKinds.find(({ schemas }) => schemas.detail === (operation.answer as { item?: unknown }).item) ??
      allKinds.find(({ collection }) => operation.path.endsWith(`/${collection}`));
    assert.ok(kind, operation.path);
    const symbols = symbolsOfList(kind, { operation, grant: OWN_RIGHT, core: { settings: defaultSettings } });
    for (const name of symbols.names.filter((each) => !BASE.includes(each))) {
      const symbol = symbols.find(name);
      const isAnswered = symbol?.is === 'field' || symbol?.is === 'references' || (symbol?.is === 'set' && !symbol.withheld);
      if (isAnswered) assert.ok(shown.includes(SHOWN_AS[name] ?? name), `${operation.operationId} answers of ${name}`);
      if (symbol?.is === 'references') assert.deepEqual(symbol.target().names, ['id']);
    }
  }
});

test('a list gives delegated callers no match on a secret, and others theirs, whichever asked first', async () => {
  const { list } = groups.sessions.operations;
  for (const delegatedFirst of [true, false]) {
    const operation = { ...list };
    for (const isDelegated of [delegatedFirst, !delegatedFirst]) {
      const symbol = symbolsOfList(enrollment, { operation, grant: { isDelegated }, core: { settings: defaultSettings } }).find('token');
      assert.ok(symbol?.is === 'secret');
      assert.equal(symbol.matches === undefined, isDelegated);
    }
  }
});
