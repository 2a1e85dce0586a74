import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { createClient } from '../../client/index.ts';
import { kinds } from '../../src/contract/api/index.ts';
import { ApiError, type Change } from '../../src/index.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { newHostedStorage, newSharedStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const X = '/edge/management/extensions/v1/changes';
const ann = { name: 'ann', type: 'User', isAdmin: false } as const;

const revisions = (changes: readonly Pick<Change, 'revision'>[]) => changes.map(({ revision }) => revision);
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** The next items of a loop that goes on. */
const reading = <T>(items: AsyncIterable<T>) => {
  const iterator = items[Symbol.asyncIterator]();
  const next = async (count: number): Promise<readonly T[]> => {
    const taken: T[] = [];
    while (taken.length < count) {
      const { done, value } = await iterator.next();
      assert.ok(!done, 'the loop has ended');
      taken.push(value);
    }
    return taken;
  };
  return { next, end: () => iterator.return?.() };
};

/** The revision of the last change. */
const newest = async ({ controller }: App): Promise<number> => {
  const { pagination } = await controller.api.changes.list();
  return pagination.totalCount;
};

const changeSomething = async (app: App, times: number): Promise<void> => {
  for (let i = 0; i < times; i++) await app.create('/services', service());
};
let serial = 0;
const service = () => ({ name: `service ${++serial}`, encryptionRequired: true });

/** Until what was just called has read from the store. */
const begun = async (app: App): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise(setImmediate);
    await app.settled();
  }
};

/** Two controllers on one store. */
const pair = async (store: string, settings = {}) => {
  const shared = newSharedStorage(store);
  const open = () => openApp(store, { storage: shared.adapter(), settings });
  const [one, other] = [await open(), await open()];
  return {
    one,
    other,
    [Symbol.asyncDispose]: async () => {
      for (const each of [one, other, shared]) await each[Symbol.asyncDispose]();
    },
  };
};

onEveryStore('the change log, listed', (open, store) => {
  test('a page has the changes that follow a revision, oldest first, and how many there are', async () => {
    await using app = await open();
    const { data: all, pagination } = await app.controller.api.changes.list({ limit: -1 });
    const last = all.length;
    assert.deepEqual(revisions(all), from(1, last));
    assert.deepEqual(pagination, { limit: 500, offset: 0, totalCount: last });
    await changeSomething(app, 3);
    const page = await app.controller.api.changes.list({ after: last, limit: 2 });
    assert.deepEqual(revisions(page.data), [last + 1, last + 2]);
    assert.deepEqual(page.pagination, { limit: 2, offset: 0, totalCount: 3 });
    assert.deepEqual((await app.controller.api.changes.list({ after: last + 3 })).data, []);
    assert.equal((await app.controller.api.changes.list()).data.length, 10);
  });

  test('an entity that is removed twice within a transaction is recorded as deleted once', async () => {
    await using app = await open();
    const id = await app.create('/services', service());
    const trail = await app.trail(() =>
      app.inStore('write', async (entities) => {
        const row = await entities.require(kinds.service, id);
        for (let i = 0; i < 2; i++) await entities.remove(kinds.service, row);
      }),
    );
    assert.deepEqual(trail, ['delete service']);
  });

  test('a change is the one that events have', async () => {
    await using app = await open();
    const seen: Change[] = [];
    app.controller.events.on('change', (change) => void seen.push(change));
    const id = await app.create('/identities', ann);
    await app.controller.api.identities.patch({ id, body: { isAdmin: true } });
    await app.controller.api.identities.delete({ id });
    const { data } = await app.controller.api.changes.list({ kinds: ['identity'], limit: 500 });
    assert.deepEqual(
      data.slice(-3),
      seen.filter(({ entity }) => entity === 'identity'),
    );
  });

  test('kinds narrow it, over HTTP, too', async () => {
    await using app = await open();
    const last = await newest(app);
    await app.create('/identities', ann);
    await changeSomething(app, 2);
    await app.create('/config-types', { name: 'a type' });
    const { data, pagination } = await app.controller.api.changes.list({ after: last, kinds: ['identity', 'configType'] });
    assert.deepEqual(
      data.map(({ entity }) => entity),
      ['identity', 'configType'],
    );
    assert.equal(pagination.totalCount, 2);
    const { status, body } = await app.request('GET', `${X}?after=${last}&kinds=identity&kinds=configType`);
    assert.equal(status, 200);
    assert.deepEqual(body.data, JSON.parse(JSON.stringify(data)));
    assert.deepEqual(body.meta.pagination, { limit: 10, offset: 0, totalCount: 2 });
    const refused = await app.request('GET', `${X}?kinds=unicorn`);
    assert.deepEqual([refused.status, refused.body.error.cause.field, refused.body.error.cause.value], [400, 'kinds', 'unicorn']);
  });

  test('what is written in a transaction of the host is there once that is committed', async () => {
    const { storage, transaction } = newHostedStorage(store);
    await using app = await open({ storage });
    const last = await newest(app);
    await transaction(async (host) => void (await app.controller.api.services.create({ body: service() }, { transaction: host })));
    assert.equal(await newest(app), last + 1);
  });

  test('a revision that is older than what is kept is refused with the earliest one, and so is one that is yet to come', async () => {
    await using app = await open({ settings: { changesKept: 5 } });
    await changeSomething(app, 10);
    const { data } = await app.controller.api.changes.list();
    const oldest = data[0]?.revision ?? 0;
    assert.equal(data.length, 5);
    await assert.rejects(app.controller.api.changes.list({ after: oldest - 2 }), (error: unknown) => {
      assert.ok(error instanceof ApiError && error.code === 'CURSOR_EXPIRED');
      assert.deepEqual([error.status, error.cause.earliest], [410, oldest - 1]);
      return true;
    });
    assert.deepEqual((await app.controller.api.changes.list({ after: oldest - 1 })).data, data);
    for (const path of ['', '/follow']) {
      const { status, body } = await app.request('GET', `${X}${path}?after=0`);
      assert.deepEqual([status, body.error.code, body.error.cause.earliest], [410, 'CURSOR_EXPIRED', oldest - 1]);
      const early = await app.request('GET', `${X}${path}?after=${oldest + 5}`);
      assert.deepEqual([early.status, early.body.error.cause.field], [400, 'after']);
    }
  });

  test('only administrators have it', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    for (const path of [X, `${X}/follow`]) {
      assert.equal((await app.request('GET', path, { as })).status, 401);
      assert.equal((await app.request('GET', path, { as: null })).status, 401);
      assert.equal((await app.request('GET', path)).status, 200);
    }
  });
});

onEveryStore('the change log, followed', (open, store) => {
  test('a loop gets every change after a revision, and then those that come, once each and in order', async () => {
    await using app = await open();
    const last = await newest(app);
    const { next, end } = reading(app.controller.api.changes.follow({ after: 0 }));
    assert.deepEqual(revisions(await next(last)), from(1, last));
    const more = next(120);
    await changeSomething(app, 120);
    assert.deepEqual(revisions(await more), from(last + 1, last + 120));
    await end();
  });

  test('without a revision it begins with the next change, and kinds narrow it', async () => {
    await using app = await open();
    const { next, end } = reading(app.controller.api.changes.follow({ kinds: ['identity'] }));
    const first = next(1);
    await begun(app);
    await changeSomething(app, 2);
    const id = await app.create('/identities', ann);
    const [change] = await first;
    assert.deepEqual([change?.action, change?.entityId, change?.after?.name], ['create', id, 'ann']);
    await end();
  });

  test('it has what another controller commits, and what a host commits in a transaction of its own, when it is looked for', async () => {
    await using both = await pair(store);
    const { one, other } = both;
    const last = await newest(one);
    const { next, end } = reading(one.controller.api.changes.follow({ after: last }));
    const coming = next(3);
    await changeSomething(other, 1);
    await changeSomething(one, 1);
    await changeSomething(other, 1);
    const isOver = coming.then(() => true);
    await until(async () => {
      one.clock.advance('1s');
      return Promise.race([isOver, new Promise<boolean>((resolve) => setTimeout(resolve, 1, false))]);
    });
    assert.deepEqual(revisions(await coming), from(last + 1, last + 3));
    await end();

    const { storage, transaction } = newHostedStorage(store);
    await using app = await open({ storage });
    const begin = await newest(app);
    const hosted = reading(app.controller.api.changes.follow({ after: begin }));
    const soon = hosted.next(1);
    await transaction(async (host) => void (await app.controller.api.services.create({ body: service() }, { transaction: host })));
    await app.controller.publish();
    assert.deepEqual(revisions(await soon), [begin + 1]);
    await hosted.end();
  });

  test('a loop that falls behind what is kept ends with the earliest revision to continue after', async () => {
    await using app = await open({ settings: { changesKept: 20 } });
    const last = await newest(app);
    const { next } = reading(app.controller.api.changes.follow({ after: last }));
    const first = next(1);
    await changeSomething(app, 30);
    await first;
    await changeSomething(app, 30);
    await assert.rejects(next(60), { code: 'CURSOR_EXPIRED' });
  });

  test('it ends when its signal is aborted, and when the controller is closed', async () => {
    await using app = await open();
    const stop = new AbortController();
    const { next } = reading(app.controller.api.changes.follow({ signal: stop.signal }));
    const waiting = next(1);
    stop.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    const loop = app.controller.api.changes.follow()[Symbol.asyncIterator]();
    const end = loop.next();
    await begun(app);
    await app.close();
    assert.equal((await end).done, true);
  });

  test('a session has it as long as its right lasts', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    const token = await user.login();
    const last = await newest(app);
    const { next } = reading(app.controller.as(token).changes.follow({ after: last }));
    await changeSomething(app, 1);
    assert.deepEqual(revisions(await next(1)), [last + 1]);
    const after = next(1);
    await app.controller.api.identities.patch({ id: user.id, body: { isAdmin: false } });
    await assert.rejects(after, { code: 'UNAUTHORIZED' });

    const idle = reading(app.controller.as(app.admin).changes.follow()).next(1);
    const refused = assert.rejects(idle, { code: 'UNAUTHORIZED' });
    await app.settled();
    for (let minute = 0; minute <= 31; minute++) {
      app.clock.advance('1m');
      await app.settled();
      await new Promise(setImmediate);
    }
    await refused;
  });
});

onEveryStore('the change log, followed over HTTP', (open) => {
  const eventsOf = (app: App, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const gone = new AbortController();
    const handle = fetchHandler(app.controller);
    const asked = handle(
      new Request(`https://controller.test${path}`, { headers: { 'zt-session': app.admin, ...headers }, signal: gone.signal }),
    );
    const text = async function* () {
      const { body, status, headers } = await asked;
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/event-stream']);
      assert.ok(body);
      let rest = '';
      for await (const part of body.pipeThrough(new TextDecoderStream())) {
        const events = (rest + part).split('\n\n');
        rest = events.pop() ?? '';
        yield* events;
      }
    };
    return { ...reading(text()), leave: () => gone.abort() };
  };

  test('each change is an event, with its revision as id', async () => {
    await using app = await open();
    const last = await newest(app);
    const { next, leave } = eventsOf(app, `${X}/follow?after=${last}&kinds=identity`);
    assert.deepEqual(await next(1), [`id: ${last}\nretry: 1000`]);
    await changeSomething(app, 1);
    assert.deepEqual(await next(1), [`id: ${last + 1}`], 'how far it has come is told for changes of other kinds, too');
    await app.create('/identities', ann);
    const [event = ''] = await next(1);
    const [, id, data] = /^event: change\nid: (\d+)\ndata: (.*)$/.exec(event) ?? [];
    assert.equal(id, String(last + 2));
    assert.deepEqual(
      JSON.parse(data ?? ''),
      JSON.parse(JSON.stringify((await app.controller.api.changes.list({ after: last + 1 })).data[0])),
    );
    leave();
  });

  test('a client that was cut off continues after its last event', async () => {
    await using app = await open();
    const last = await newest(app);
    await changeSomething(app, 3);
    const { next, leave } = eventsOf(app, `${X}/follow?after=0`, { 'last-event-id': String(last + 1) });
    const ids = (await next(3)).map((event) => /id: (\d+)/.exec(event)?.[1]);
    assert.deepEqual(ids, [last + 1, last + 2, last + 3].map(String));
    leave();
    const { status, body } = await app.request('GET', `${X}/follow`, { headers: { 'last-event-id': 'one' } });
    assert.deepEqual([status, body.error.cause.field], [400, 'last-event-id']);
  });

  test('a stream ends when the right of its session ends, and nothing is logged as an error', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    const { next } = eventsOf(app, `${X}/follow`, { 'zt-session': await user.login() });
    await next(1);
    await app.controller.api.identities.delete({ id: user.id });
    await assert.rejects(next(1), /the loop has ended/);
    assert.ok(!app.log.some((line) => line.includes('cut off')));
  });

  test('a typed client follows it, in a new connection where one is lost, and in a new session where one has ended', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    const handle = fetchHandler(app.controller);
    let connections = 0;
    let cut = () => {};
    const client = createClient({
      baseUrl: 'https://controller.test',
      credentials: { username: user.username, password: 'Passw0rd!Passw0rd!' },
      wait: async () => {},
      fetch: async (url, init) => {
        if (!url.includes('/follow')) return handle(new Request(url, init));
        connections++;
        const gone = new AbortController();
        cut = () => gone.abort();
        return handle(new Request(url, { ...init, signal: AbortSignal.any([gone.signal, ...(init.signal ? [init.signal] : [])]) }));
      },
    });
    const stop = new AbortController();
    const { next } = reading(client.changes.follow({ kinds: ['service'], signal: stop.signal }));
    const first = next(1);
    await until(() => connections === 1);
    await begun(app);
    await changeSomething(app, 1);
    const [change] = await first;
    assert.equal(change?.entity, 'service');
    cut();
    await changeSomething(app, 2);
    const begin = change?.revision ?? 0;
    assert.deepEqual(revisions(await next(2)), [begin + 1, begin + 2]);
    assert.equal(connections, 2);

    const { data } = await app.controller.api.apiSessions.list({ filter: `identity = "${user.id}"` });
    for (const { id } of data) await app.controller.api.apiSessions.delete({ id });
    const third = next(1);
    await changeSomething(app, 1);
    assert.equal((await third)[0]?.action, 'create');
    const last = next(1);
    stop.abort();
    await assert.rejects(last, { name: 'AbortError' });
  });
});
