import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { serve } from '../../adapters/http/node.ts';
import { type ClientOptions, createClient, each } from '../../src/client/index.ts';
import { entries } from '../../src/domain/entries.ts';
import { ApiError, type ErrorCode } from '../../src/errors/index.ts';
import { newRoot, newServerCertificate } from '../../src/pki/authority.ts';
import { ADMIN, type App, onEveryStore, PASSWORD } from '../support/app.ts';

const ann = { name: 'ann', type: 'User', isAdmin: false } as const;
const refusal = (status: number, code: ErrorCode, field?: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.deepEqual([error.status, error.code], [status, code]);
  if (field !== undefined) assert.equal(error.cause && 'field' in error.cause && error.cause.field, field);
  return true;
};

/** A client that reaches the controller through its web-standard adapter, with what it sent. */
const clientOf = (app: App, options: Partial<ClientOptions> = {}) => {
  const handle = fetchHandler(app.controller);
  const sent: string[] = [];
  const client = createClient({
    baseUrl: 'https://controller.test/',
    credentials: ADMIN,
    wait: async () => undefined,
    fetch: (url, init) => {
      sent.push(`${init.method} ${new URL(url).pathname}`);
      return handle(new Request(url, init));
    },
    ...options,
  });
  return { client, sent };
};

onEveryStore('a client elsewhere', (open) => {
  test('has every operation of the table', async () => {
    await using app = await open();
    const { client } = clientOf(app);
    for (const { group, verb } of entries)
      assert.equal(typeof Reflect.get(Reflect.get(client, group), verb), 'function', `${group}.${verb}`);
  });

  test('creates, finds, changes and deletes as the facade does, and is answered the same', async () => {
    await using app = await open();
    for (const { identities } of [clientOf(app).client, app.controller]) {
      const { id, _links } = await identities.create({ body: { ...ann, roleAttributes: ['b', 'a', 'b'] } });
      assert.deepEqual(_links, { self: { href: `./identities/${id}` } });
      assert.deepEqual((await identities.get({ id })).roleAttributes, ['a', 'b']);
      assert.deepEqual(await identities.patch({ id, body: { isAdmin: true } }), {});
      const page = await identities.list({ filter: 'name = "ann"', limit: -1 });
      assert.deepEqual(
        page.data.map(({ isAdmin }) => isAdmin),
        [true],
      );
      assert.deepEqual(page.pagination, { limit: Number.POSITIVE_INFINITY, offset: 0, totalCount: 1 });
      assert.ok(page.filterableFields.includes('externalId'));
      assert.deepEqual(await identities.delete({ id }), {});
      await assert.rejects(identities.get({ id }), refusal(404, 'NOT_FOUND'));
      await assert.rejects(identities.create({ body: { ...ann, name: '' } }), refusal(400, 'COULD_NOT_VALIDATE', 'name'));
      await assert.rejects(identities.list({ filter: 'nope = 1' }), refusal(400, 'INVALID_FILTER'));
    }
    const { client } = clientOf(app);
    assert.deepEqual(await client.informational.summary(), await app.controller.informational.summary());
    assert.equal((await client.informational.openapi()).body, (await app.controller.informational.openapi()).body);
  });

  test('repeats query keys, and escapes what stands in a path', async () => {
    await using app = await open();
    const { client } = clientOf(app);
    for (const [name, roleAttributes] of [
      ['one', ['x']],
      ['two', ['x', 'y']],
    ] as const)
      await client.identities.create({ body: { ...ann, name, roleAttributes: [...roleAttributes] } });
    const { data } = await client.identities.list({ roleFilter: ['#x', '#y'], roleSemantic: 'AllOf' });
    assert.deepEqual(
      data.map(({ name }) => name),
      ['two'],
    );
    for (const id of ['..', 'a/b', '?x=1', '%2e%2e']) await assert.rejects(client.identities.get({ id }), refusal(404, 'NOT_FOUND'));
    await assert.rejects(client.identities.get({ id: '' }), refusal(400, 'COULD_NOT_VALIDATE', 'id'));
  });

  test('logs in once for all that wait, when a session is first needed, and again when it has ended', async () => {
    await using app = await open();
    const { client, sent } = clientOf(app);
    await client.informational.version();
    assert.deepEqual(sent.splice(0), ['GET /edge/management/v1/version']);
    await Promise.all([client.identities.list(), client.services.list(), client.configs.list()]);
    assert.equal(sent.splice(0).filter((line) => line.endsWith('/authenticate')).length, 1);
    app.clock.advance('31m');
    await Promise.all([client.identities.list(), client.services.list()]);
    assert.equal(sent.splice(0).filter((line) => line.endsWith('/authenticate')).length, 1);
    await client.identities.list();
    assert.deepEqual(sent, ['GET /edge/management/v1/identities']);
  });

  test('what its identity may not do is no reason to log in again', async () => {
    await using app = await open();
    const user = await app.user();
    const { client, sent } = clientOf(app, { credentials: { username: user.username, password: PASSWORD } });
    assert.equal((await client.currentIdentity.get()).id, user.id);
    sent.length = 0;
    await assert.rejects(client.identities.list(), refusal(401, 'UNAUTHORIZED'));
    assert.deepEqual(sent, ['GET /edge/management/v1/identities']);
  });

  test('tells wrong credentials, none, and a session that has ended apart', async () => {
    await using app = await open();
    const wrong = clientOf(app, { credentials: { ...ADMIN, password: 'wrong password' } }).client;
    await assert.rejects(wrong.identities.list(), refusal(401, 'INVALID_AUTH'));
    await assert.rejects(createClient({ baseUrl: 'https://controller.test' }).identities.list(), refusal(401, 'UNAUTHORIZED'));
    const given = clientOf(app, { credentials: { session: app.admin } });
    await given.client.identities.list();
    app.clock.advance('31m');
    given.sent.length = 0;
    await assert.rejects(given.client.identities.list(), refusal(401, 'UNAUTHORIZED'));
    assert.deepEqual(given.sent, ['GET /edge/management/v1/identities']);
  });

  test('sees what a device sees where it asks the client API', async () => {
    await using app = await open();
    const user = await app.user();
    const { client, sent } = clientOf(app, { api: 'client', credentials: { username: user.username, password: PASSWORD } });
    assert.equal((await client.currentIdentity.get()).id, user.id);
    assert.deepEqual(sent, ['POST /edge/client/v1/authenticate', 'GET /edge/client/v1/current-identity']);
  });

  test('each entity comes once, over many pages, though others come and go', async () => {
    await using app = await open();
    const { client, sent } = clientOf(app);
    const { identities } = app.controller;
    for (let i = 0; i < 1100; i++) await identities.create({ body: { ...ann, name: `n${i}`, tags: { even: i % 2 === 0 } } });
    const stay = new Set<string>();
    let first: string | undefined;
    for await (const { id, name } of each(client.identities.list, { filter: 'name contains "n" and isAdmin = false' })) {
      assert.ok(!stay.has(id), name);
      stay.add(id);
      // Whoever went by already is deleted: pages by offset would now miss others.
      if (first !== undefined) await identities.delete({ id: first });
      first = stay.size < 600 ? id : undefined;
    }
    assert.equal(stay.size, 1100);
    assert.equal(sent.filter((line) => line.endsWith('/identities')).length, 3);
    const names: string[] = [];
    for await (const { name } of each(identities.list, { filter: 'tags.even = true', sort: 'name desc' })) names.push(name);
    assert.deepEqual(names, [...names].sort().reverse());
    assert.equal(names.length, (await identities.list({ filter: 'tags.even = true' })).pagination.totalCount);
  });

  test('an aborted call says why', async () => {
    await using app = await open();
    const { client } = clientOf(app);
    const reason = new Error('no longer wanted');
    await assert.rejects(client.identities.list({}, { signal: AbortSignal.abort(reason) }), reason);
  });
});

/** A server that answers as it is told, one answer after another. */
const scripted = (...answers: (Response | Error)[]) => {
  const methods: string[] = [];
  const waits: number[] = [];
  const client = createClient({
    baseUrl: 'https://controller.test',
    credentials: { session: 'a token' },
    wait: async (milliseconds) => void waits.push(milliseconds),
    fetch: async (_, { method = '' }) => {
      methods.push(method);
      const answer = answers.shift();
      if (!answer || answer instanceof Error) throw answer ?? new Error('asked once too often');
      return answer;
    },
  });
  return { client, methods, waits };
};
const refused = (status: number, code: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(JSON.stringify({ error: { code, message: 'a reason' } }), { status, headers });
const found = () => new Response(JSON.stringify({ data: {}, meta: {} }));

test('a request that may be repeated without harm is made again when there was no answer or no store', async () => {
  const { client, methods, waits } = scripted(
    new Error('connection reset'),
    refused(503, 'SERVER_UNAVAILABLE', { 'retry-after': '2' }),
    found(),
  );
  await client.identities.patch({ id: 'some-id', body: {} });
  assert.deepEqual(methods, ['PATCH', 'PATCH', 'PATCH']);
  assert.ok(Number(waits[0]) >= 200 && Number(waits[1]) >= 2000, String(waits));
});

test('a POST is made again only when it was turned away before any work', async () => {
  const turnedAway = scripted(refused(429, 'SERVER_TOO_MANY_REQUESTS', { 'retry-after': '1' }), found());
  await turnedAway.client.identities.create({ body: ann });
  assert.deepEqual(turnedAway.methods, ['POST', 'POST']);
  for (const trouble of [new Error('connection reset'), refused(503, 'SERVER_UNAVAILABLE')]) {
    const { client, methods } = scripted(trouble);
    await assert.rejects(client.identities.create({ body: ann }), refusal(503, 'SERVER_UNAVAILABLE'));
    assert.deepEqual(methods, ['POST']);
  }
});

test('it gives up after as many tries as it was told, and at once where trying again is of no use', async () => {
  const away = scripted(...Array.from({ length: 3 }, () => new Error('connection refused')));
  await assert.rejects(away.client.identities.list(), refusal(503, 'SERVER_UNAVAILABLE'));
  assert.equal(away.methods.length, 3);
  for (const [useless, status, code] of [
    [refused(404, 'NOT_FOUND'), 404, 'NOT_FOUND'],
    [refused(429, 'SERVER_TOO_MANY_REQUESTS', { 'retry-after': '31' }), 429, 'SERVER_TOO_MANY_REQUESTS'],
  ] as const) {
    const { client, methods } = scripted(useless);
    await assert.rejects(client.identities.get({ id: 'some-id' }), refusal(status, code));
    assert.equal(methods.length, 1);
  }
});

test('codes that it does not know, and answers of something else, are errors that say so', async () => {
  const newer = await scripted(refused(418, 'A_NEWER_CODE'))
    .client.identities.list()
    .catch((error: unknown) => error);
  assert.ok(newer instanceof ApiError);
  assert.deepEqual([newer.status, newer.code, newer.cause], [418, 'UNHANDLED', { code: 'A_NEWER_CODE', message: 'a reason' }]);
  for (const [status, text] of [
    [502, '<html>Bad Gateway</html>'],
    [200, '<html>Welcome</html>'],
    [404, '{}'],
  ] as const) {
    const { client } = scripted(new Response(text, { status }));
    await assert.rejects(client.identities.list(), refusal(status, 'UNHANDLED'));
  }
});

test('a base URL that no request can be sent to is refused at once, with what would be right', () => {
  for (const baseUrl of [
    '127.0.0.1:1280',
    'localhost:1280',
    'controller.example',
    '',
    '/overlay',
    'ftp://controller.example',
    'https://x/?a=1',
    'https://x/#a',
  ])
    assert.throws(
      () => createClient({ baseUrl }),
      (error) => {
        assert.ok(error instanceof TypeError);
        assert.ok(error.message.startsWith('baseUrl must be like https://controller.example:1280'), error.message);
        assert.ok(error.message.endsWith(`got '${baseUrl}'`), error.message);
        return true;
      },
    );
  assert.throws(
    () => createClient({ baseUrl: 'https://ann:secret@controller.example' }),
    (error) => error instanceof TypeError && !error.message.includes('secret'),
  );
  for (const baseUrl of ['http://127.0.0.1:1280', 'HTTPS://controller.example/overlay/', 'https://[::1]:1280'])
    assert.ok(createClient({ baseUrl }));
});

/** What a request says that got no answer at an address. */
const unanswered = async (baseUrl: string, options: Partial<ClientOptions> = {}) => {
  const error: unknown = await createClient({ baseUrl, retries: 0, ...options })
    .informational.version()
    .catch((error: unknown) => error);
  assert.ok(error instanceof ApiError);
  assert.equal(error.code, 'SERVER_UNAVAILABLE');
  const { cause } = error as { readonly cause: unknown };
  assert.ok(cause instanceof Error && 'code' in cause && cause.cause instanceof Error, 'the whole reason is there');
  return { code: cause.code, message: cause.message };
};

test('a request without an answer says why: a certificate that is not trusted, no listener, no such host, no TLS, no time', async () => {
  const root = await newRoot();
  const controller = { handle: async () => assert.fail('nothing gets there') };
  const leaf = await newServerCertificate(root, ['127.0.0.1']);
  const secure = await serve({ controller, tls: leaf });
  const self = await serve({ controller, tls: { ...leaf, cert: leaf.cert + root.cert } });
  const plain = await serve({ controller });
  const { port } = plain;
  try {
    for (const { address } of [secure, self]) {
      const { code, message } = await unanswered(address);
      assert.match(String(code), /UNABLE_TO_VERIFY|SELF_SIGNED|UNABLE_TO_GET/);
      assert.match(
        message,
        new RegExp(
          `^GET ${address}/edge/management/v1/version got no answer: the server's certificate is not trusted: .*NODE_EXTRA_CA_CERTS`,
        ),
      );
    }
    assert.match((await unanswered(`https://127.0.0.1:${port}`)).message, /the server does not speak TLS there/);
  } finally {
    await Promise.all([secure, self, plain].map(({ close }) => close(0)));
  }
  const refused = await unanswered(`http://127.0.0.1:${port}`);
  assert.equal(refused.code, 'ECONNREFUSED');
  assert.match(refused.message, /nothing listens there: connect ECONNREFUSED/);
  assert.match((await unanswered('http://no-such-host.invalid')).message, /the host name in baseUrl has no address/);
  const silent = {
    timeoutMs: 1,
    fetch: (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  };
  assert.match((await unanswered('http://controller.test', silent)).message, /got no answer: the time limit of 1 ms is over$/);
  const odd = { fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new AggregateError([new Error('no route')]) })) };
  assert.match((await unanswered('http://controller.test', odd)).message, /got no answer: no route$/);
});

test('it works over a real connection', async () => {
  const { openApp } = await import('../support/app.ts');
  await using app = await openApp('memory');
  const { port, close } = await serve({ controller: app.controller, port: 0 });
  try {
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, credentials: ADMIN });
    const { id } = await client.identities.create({ body: ann });
    assert.equal((await client.identities.get({ id })).name, 'ann');
  } finally {
    await close();
  }
});
