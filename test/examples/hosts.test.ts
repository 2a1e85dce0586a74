import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import https from 'node:https';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { startServer, temporaryFolder } from './child.ts';

const examples = resolve(import.meta.dirname, '../../examples');
const hosts = readdirSync(examples)
  .filter((file) => file.endsWith('.ts') && readFileSync(join(examples, file), 'utf8').includes("from './hosts/run.ts'"))
  .map((file) => file.slice(0, -'.ts'.length));

const textOf = (url: string): Promise<string> =>
  new Promise((done, fail) => {
    https
      .get(url, { rejectUnauthorized: false, agent: false }, (answer) => {
        let text = '';
        answer.on('data', (part: Buffer) => (text += part)).on('end', () => done(text));
      })
      .on('error', fail);
  });

test('every HTTP host has an example', () => {
  assert.deepEqual(hosts.toSorted(), ['express', 'fastify', 'fetch', 'hono', 'koa', 'next', 'node']);
});

for (const host of hosts) {
  test(`the example of ${host} serves a controller beside its own routes`, async (t) => {
    const server = await startServer(t, temporaryFolder(t), ['--storage', 'memory', '--admin-password', 'example'], {}, host);
    assert.equal(await textOf(`${server.url}/health`), 'ok');
    const token = await server.login('example');
    const created = await server.request('POST', '/identities', { token, body: { name: 'ann', type: 'User', isAdmin: false } });
    assert.equal(created.status, 201);
    const listed = await server.request('GET', `/identities?filter=${encodeURIComponent('name = "ann"')}`, { token });
    assert.deepEqual(
      listed.body.data.map(({ id }: { id: string }) => id),
      [created.body.data.id],
    );
    const { code, err } = await server.stop();
    assert.deepEqual({ code, err }, { code: 0, err: '' });
  });
}
