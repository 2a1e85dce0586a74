import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Running, startServer, temporaryFolder } from './child.ts';

const PASSWORD = 'the-admin-password';

/** A server with limits of the operating system, which a shell sets. Files that Node would write for itself are left out. */
const limited = async (t: TestContext, ...limits: readonly string[]) => {
  const cwd = temporaryFolder(t);
  const folder = join(cwd, 'snapshots');
  const options = ['--storage', 'memory', '--tls', 'off', '--snapshots', folder, '--admin-password', PASSWORD];
  const server = await startServer(t, cwd, options, { NODE_COMPILE_CACHE: '', NODE_DISABLE_COMPILE_CACHE: '1' }, 'server', limits);
  const token = await server.login(PASSWORD);
  return { server, token, folder };
};

/** Over one connection, which is there before another one could not be had. */
const asker = (server: Running, token: string) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return async (method: string, path: string) => {
    const asked = http.request(`${server.url}/edge/management/v1${path}`, { method, agent, headers: { 'zt-session': token } }).end();
    const [answer] = await once(asked, 'response');
    answer.resume();
    await once(answer, 'end');
    return { status: answer.statusCode, retryAfter: Number(answer.headers['retry-after'] ?? 0) };
  };
};

const assertRefused = (answer: { readonly status: number; readonly retryAfter: number }) => {
  assert.equal(answer.status, 503);
  assert.ok(answer.retryAfter > 0);
};

test('a folder of snapshots that is not a folder is 503 with a time to come back, and the server keeps running', async (t) => {
  const { server, token, folder } = await limited(t);
  const ask = asker(server, token);
  writeFileSync(folder, 'no folder');
  assertRefused(await ask('POST', '/database/snapshot'));
  assert.equal((await ask('GET', '/identities')).status, 200);
  rmSync(folder);
  assert.equal((await ask('POST', '/database/snapshot')).status, 200);
  assert.equal(readdirSync(folder).length, 1);
  await server.stop();
});

const needsShell = { skip: process.platform === 'win32' && 'limits of a process are set by a shell' };

test('a disk that takes no more of a snapshot is the same, and nothing of it is left', needsShell, async (t) => {
  // Blocks of 512 or of 1,024 bytes: less than the built-in config types alone take.
  const { server, token, folder } = await limited(t, '-f 4');
  const ask = asker(server, token);
  mkdirSync(folder);
  assertRefused(await ask('POST', '/database/snapshot'));
  assert.deepEqual(readdirSync(folder), []);
  assert.equal((await ask('GET', '/identities')).status, 200);
  await server.stop();
});

test('so is a server out of descriptors, which continues when it has some again', needsShell, async (t) => {
  const { server, token, folder } = await limited(t, '-n 64');
  const ask = asker(server, token);
  assert.equal((await ask('GET', '/identities')).status, 200);
  const { hostname, port } = new URL(server.url);
  const idle: Socket[] = [];
  let isFull = false;
  // The operating system takes connections for the server, which ends at once those that it cannot have.
  while (!isFull && idle.length < 100) {
    const socket = connect(Number(port), hostname);
    idle.push(socket);
    socket.on('error', () => undefined).on('close', () => (isFull = true));
    await once(socket, 'connect');
    await ask('GET', '/version');
  }
  assert.ok(isFull);
  assertRefused(await ask('POST', '/database/snapshot'));
  assert.equal((await ask('GET', '/identities')).status, 200);
  for (const socket of idle) socket.destroy();
  let status = 503;
  for (let tried = 0; status === 503 && tried < 50; tried++) ({ status } = await ask('POST', '/database/snapshot'));
  assert.equal(status, 200);
  assert.equal(readdirSync(folder).length, 1);
  await server.stop();
});
