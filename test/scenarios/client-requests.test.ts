import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../../adapters/http/node.ts';
import { type ClientOptions, createClient } from '../../client/index.ts';
import { ApiError } from '../../src/contract/errors/index.ts';
import { newRoot, newServerCertificate } from '../../src/crypto/pki/authority.ts';
import { ann, refusal } from '../support/client.ts';

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

test('it gives up after as many tries as it is allowed, and at once where trying again is of no use', async () => {
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
  const shown = { 'https://x/?a=1': 'https://x/?***', 'https://x/#a': 'https://x/#***' };
  const others = ['127.0.0.1:1280', 'localhost:1280', 'controller.example', '', '/overlay', 'ftp://controller.example'];
  for (const [baseUrl, got] of [...Object.entries(shown), ...others.map((one) => [one, one] as const)])
    assert.throws(
      () => createClient({ baseUrl }),
      (error) => {
        assert.ok(error instanceof TypeError);
        assert.ok(error.message.startsWith('baseUrl must be like https://controller.example:1280'), error.message);
        assert.ok(error.message.endsWith(`got '${got}'`), error.message);
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
    assert.match((await unanswered(`https://127.0.0.1:${port}`)).message, /the server does not use TLS at this address/);
  } finally {
    await Promise.all([secure, self, plain].map(({ close }) => close(0)));
  }
  const refused = await unanswered(`http://127.0.0.1:${port}`);
  assert.equal(refused.code, 'ECONNREFUSED');
  assert.match(refused.message, /no server is listening at this address: connect ECONNREFUSED/);
  assert.match((await unanswered('http://no-such-host.invalid')).message, /the host name in baseUrl has no address/);
  const silent = {
    timeoutMs: 1,
    fetch: (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        // The timer of the signal alone does not keep the process alive, as a socket would.
        const socket = setInterval(() => undefined, 1000);
        signal?.addEventListener('abort', () => {
          clearInterval(socket);
          reject(signal.reason);
        });
      }),
  };
  assert.match((await unanswered('http://controller.test', silent)).message, /got no answer: the time limit of 1 ms is over$/);
  const odd = { fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new AggregateError([new Error('no route')]) })) };
  assert.match((await unanswered('http://controller.test', odd)).message, /got no answer: no route$/);
});
