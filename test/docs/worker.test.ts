/** The files of the guide to workers, each as a process of its own. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createClient } from '../../client/index.ts';
import { temporaryFolder } from '../examples/child.ts';
import { SECRET_KEY } from '../support/app.ts';
import { newSchema, postgresUrl } from '../support/postgres.ts';
import { asSourceAnywhere, filesOf } from './documents.ts';

/** What the directory was told, in order. */
const directory = async (t: TestContext) => {
  const told: string[] = [];
  const server = createServer(async (request, response) => {
    const { action, id } = JSON.parse(await text(request));
    told.push(`${action} ${id}`);
    response.writeHead(204).end();
    server.emit('told');
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const until = async (line: string): Promise<void> => {
    while (!told.includes(line)) await once(server, 'told');
  };
  return { url: `http://127.0.0.1:${port}`, told, until };
};

/** Resolves when the child is over, with its exit code. */
const stopped = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = await exit;
  return code;
};

test('a worker beside an HTTP process gets every change, also those made while there was none, and does its job', async (t) => {
  await using place = postgresUrl ? await newSchema() : undefined;
  const folder = temporaryFolder(t);
  const { url, told, until } = await directory(t);
  for (const [path, code] of filesOf('docs/guides/worker.md')) {
    const source = asSourceAnywhere(code);
    const here = source.replaceAll('postgresStorage', 'sqliteStorage').replace('connectionString: DATABASE_URL', "file: 'controller.db'");
    writeFileSync(join(folder, path), place ? source : here);
  }
  const settings = { SECRET_KEY, ADMIN_PASSWORD: 'a-good-password', DATABASE_URL: place?.connectionString ?? '' };
  const env = { ...process.env, ...settings, PORT: '0', DIRECTORY_URL: url, EVERY_MS: '100' };
  const start = async (file: string) => {
    const child = spawn(process.execPath, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    return { child, said: String(said).trim() };
  };

  const server = await start('server.ts');
  const baseUrl = server.said.replace('listening on ', '');
  const { identities } = createClient({ baseUrl, credentials: { username: 'admin', password: 'a-good-password' } });
  const first = await start('worker.ts');
  assert.equal(first.said, 'working');
  const ann = await identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
  await until(`create ${ann.id}`);

  assert.equal(await stopped(first.child, 'SIGTERM'), 0);
  const tags = { until: '2000-01-01T00:00:00.000Z' };
  const visitor = await identities.create({ body: { name: 'visitor', type: 'User', isAdmin: false, tags } });
  const second = await start('worker.ts');
  await until(`delete ${visitor.id}`);
  assert.deepEqual(told, [`create ${ann.id}`, `create ${visitor.id}`, `delete ${visitor.id}`]);
  assert.deepEqual(
    (await identities.list({ filter: 'isAdmin = false' })).data.map(({ name }) => name),
    ['ann'],
  );

  for (const { child } of [second, server]) assert.equal(await stopped(child, 'SIGTERM'), 0);
});
