import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { readExposition, valueIn } from '../support/exposition.ts';
import { runServer, startServer, temporaryFolder } from './child.ts';

const MEMORY = ['--storage', 'memory', '--tls', 'off'];

const get = async (url: string, init?: RequestInit) => {
  const answer = await fetch(url, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

test('--metrics tells on a port of its own what the server did, and nowhere else', async (t) => {
  const server = await startServer(t, temporaryFolder(t), [...MEMORY, '--metrics', '0']);
  const place = server.told('metrics') ?? '';
  assert.match(place, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  await server.request('GET', '/version');
  const { status, headers, text } = await get(place);
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; version=0.0.4; charset=utf-8']);
  const families = readExposition(text);
  assert.equal(valueIn(families, 'overlay_controller_requests_total', { transport: 'http', operation: 'listVersion' }), 1);
  assert.equal(valueIn(families, 'overlay_controller_entities', { kind: 'identity' }), 1);
  assert.equal((await get(place, { method: 'POST' })).status, 405);
  assert.equal((await get(place.replace('metrics', 'edge/management/v1/version'))).status, 404, 'the API is not on this port');
  assert.equal((await get(`${server.url}/metrics`)).status, 404, 'nor are metrics on the port of the API');
  assert.equal((await server.stop()).code, 0);
});

test('a port for metrics that is in use is reported in one sentence', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await new Promise((listening) => taken.once('listening', listening));
  const address = taken.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const { code, err } = await runServer(temporaryFolder(t), [...MEMORY, '--port', '0', '--metrics', String(port)]);
  assert.deepEqual([code, err], [1, `error: --metrics: cannot listen on port ${port} of 127.0.0.1: it is in use\n`]);
});

test('--health answers probes; without it their paths are those of the API, which has none', async (t) => {
  const server = await startServer(t, temporaryFolder(t), [...MEMORY, '--health', '--address', 'https://overlay.example']);
  assert.deepEqual(await get(`${server.url}/health`).then(({ status, text }) => [status, text]), [200, '{"status":"up"}']);
  assert.deepEqual(await get(`${server.url}/ready?full`).then(({ status, text }) => [status, text]), [
    200,
    '{"status":"ready","reasons":[]}',
  ]);
  assert.equal((await get(`${server.url}/ready/now`)).status, 404);
  const without = await startServer(t, temporaryFolder(t), MEMORY);
  assert.equal((await get(`${without.url}/health`)).status, 404);
});

test('--log json writes an object for each call and login, without secrets', async (t) => {
  const server = await startServer(t, temporaryFolder(t), [...MEMORY, '--log', 'json', '--admin-password', 'a-good-password']);
  const token = await server.login('a-good-password');
  await server.request('POST', '/authenticate?method=password', { body: { username: 'admin', password: 'a-wrong-password' } });
  await server.request('GET', '/identities/secret-id', { token });
  const { out, err } = await server.stop();
  const lines = [...out.split('\n'), ...err.split('\n')].filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  const call = lines.find(({ operationId, transport }) => operationId === 'detailIdentity' && transport === 'http');
  assert.deepEqual(
    [call?.level, call?.message, call?.status, call?.code, call?.route],
    ['info', 'call answered', 404, 'NOT_FOUND', '/edge/management/v1/identities/{id}'],
  );
  const failed = lines.find(({ message }) => message === 'authentication failed');
  assert.deepEqual(
    [failed?.level, failed?.reason, failed?.method, failed?.remoteAddress],
    ['warn', 'credentials', 'password', '127.0.0.1'],
  );
  for (const secret of [token, 'secret-id', 'a-wrong-password', 'a-good-password']) assert.ok(!`${out}${err}`.includes(secret), secret);
});

for (const form of ['json', 'text'] as const)
  test(`with --log ${form} all that the server says has that form, and its first password is in a file for its owner only`, async (t) => {
    const folder = temporaryFolder(t);
    const server = await startServer(t, folder, ['--storage', 'sqlite:own/x.db', '--log', form]);
    const file = join(folder, 'own', 'first-password');
    const password = readFileSync(file, 'utf8').trim();
    assert.ok(await server.login(password));
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
    const { code, out, err } = await server.stop();
    assert.equal(code, 0);
    assert.ok(!`${out}${err}`.includes(password));
    const lines = `${out}${err}`.trim().split('\n');
    if (form === 'text')
      return assert.deepEqual(
        lines.filter((line) => !/^\d{4}-\d\d-\d\dT[\d:.]+Z (INFO {2}|WARN {2}|ERROR )/.test(line)),
        [],
      );
    const events = lines.map((line) => JSON.parse(line));
    const listening = events.find(({ message }) => message === 'listening');
    assert.deepEqual(
      [listening.listening, listening.api, listening.administrator, listening.storage, listening.keyFile],
      [server.url, `${server.url}/edge/management/v1`, 'admin', 'sqlite:own/x.db', join(folder, 'own', 'secret.key')],
    );
    assert.ok(existsSync(listening.certificate));
    assert.deepEqual(
      events.filter((event) => event.file).map((event) => event.file),
      [file],
    );
    assert.match(events.at(-1).message, /^shutting down: /);
    const again = await startServer(t, folder, ['--storage', 'sqlite:own/x.db', '--log', form, '--admin-password', 'another-one']);
    assert.equal(
      JSON.parse((await again.stop()).err).message,
      'The network already has its administrator: --admin-password has no effect.',
    );
  });

test('a start that fails is an event, too', async (t) => {
  const { code, out, err } = await runServer(temporaryFolder(t), ['--storage', 'sqlite:.', '--log', 'json']);
  assert.deepEqual([code, out, JSON.parse(err).level], [1, '', 'error']);
});

test('--log text writes lines for people, in which nothing looks like another field', async (t) => {
  const server = await startServer(t, temporaryFolder(t), [...MEMORY, '--log', 'text']);
  await server.request('GET', '/version');
  const { out } = await server.stop();
  assert.match(
    out,
    /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}call answered .*\bmethod=GET operationId=listVersion operation=informational\.version surface=management route=\/edge\/management\/v1\/version status=200/m,
  );
});
