import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { needsPostgres, newSchema } from '../support/postgres.ts';
import { runServer, startServer, temporaryFolder } from './child.ts';

test(
  'two servers on one PostgreSQL database with one secret key are one network, and do not print its password',
  needsPostgres,
  async (t) => {
    await using place = await newSchema();
    const url = new URL(place.connectionString);
    url.password = 'database-password';
    const given = ['--storage', url.href, '--tls', 'off', '--admin-password', 'the-admin-password'];
    const key = { SECRET_KEY: randomBytes(32).toString('base64') };
    const one = await startServer(t, temporaryFolder(t), given, key);
    assert.equal(one.told('storage'), `postgres://${url.username}@${url.host}${url.pathname}`);
    assert.ok(!one.said.includes('database-password'));
    const stranger = await runServer(temporaryFolder(t), given.slice(0, -2));
    assert.match(stranger.err, /sealed under another secretKey/);
    const two = await startServer(t, temporaryFolder(t), given.slice(0, -2), key);

    const token = await one.login('the-admin-password');
    const body = { name: 'ann', type: 'User', isAdmin: false };
    const created = await one.request('POST', '/identities', { body, token });
    assert.equal(created.status, 201);
    const found = await two.request('GET', `/identities/${created.body.data.id}`, { token });
    assert.equal(found.body.data.name, 'ann');
    await Promise.all([one.stop(), two.stop()]);
  },
);
