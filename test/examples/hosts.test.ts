import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import https from 'node:https';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { startServer, temporaryFolder } from './child.ts';

const OTHERS = ['server', 'embed'];
const hosts = readdirSync(resolve(import.meta.dirname, '../../examples'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .filter((example) => !OTHERS.includes(example));

const textOf = (url: string): Promise<string> =>
  new Promise((done, fail) => {
    https
      .get(url, { rejectUnauthorized: false, agent: false }, (answer) => {
        let text = '';
        answer.on('data', (part: Buffer) => (text += part)).on('end', () => done(text));
      })
      .on('error', fail);
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
