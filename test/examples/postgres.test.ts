import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { needsPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { needsPostgres, newSchema } from '../support/postgres.ts';
import { freePort, runServer, startServer, temporaryFolder } from './child.ts';

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
    assert.match(stranger.err, /the network in this database was created with a secret key/);
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

test(
  'a server finds its database on the one of several hosts that answers, and prints them without the password',
  needsPostgres,
  async (t) => {
    await using place = await newSchema();
    const url = new URL(place.connectionString);
    const lost = `127.0.0.1:${await freePort()}`; // nothing listens there
    const hosts = url.href.replace(`${url.username}@${url.host}`, `${url.username}:database-password@${lost},${url.host}`);
    const server = await startServer(t, temporaryFolder(t), ['--storage', hosts, '--tls', 'off', '--admin-password', 'the-admin-password']);
    assert.equal(server.told('storage'), `postgres://${url.username}@${lost},${url.host}${url.pathname}`);
    assert.ok(!server.said.includes('database-password'));
    const token = await server.login('the-admin-password');
    assert.equal((await server.request('GET', '/identities', { token })).status, 200);
    await server.stop();
  },
);

test('a server works behind PgBouncer in transaction mode without being told', needsPgBouncer, async (t) => {
  await using place = await newSchema();
  await using pooler = await startPgBouncer({ pool_mode: 'transaction', default_pool_size: 3 });
  const given = ['--storage', pooler.to(place), '--tls', 'off', '--admin-password', 'the-admin-password'];
  const server = await startServer(t, temporaryFolder(t), given);
  const calls = Array.from({ length: 20 }, async (_, caller) => {
    const token = await server.login('the-admin-password');
    const body = { name: `${caller}`, type: 'User', isAdmin: false };
    const created = await server.request('POST', '/identities', { body, token });
    const listed = await server.request('GET', `/identities?filter=name = "${caller}"`, { token });
    return [created.status, listed.status, listed.body.data.length];
  });
  assert.deepEqual(
    await Promise.all(calls),
    calls.map(() => [201, 200, 1]),
  );
  await server.stop();
  const refused = await runServer(temporaryFolder(t), ['--storage', pooler.to(place, { prepared: 'maybe' }), '--tls', 'off']);
  assert.match(refused.err, /prepared must be true or false in the connection string, got 'maybe'/);
});

/** A proxy before a database. Once it is frozen, it passes on nothing any more: no answer, no refusal, no end. */
const freezableProxy = async (url: string) => {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  let isFrozen = false;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(Number(port), hostname);
    sockets.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from.on('error', () => to.destroy()).on('data', (part) => (isFrozen ? server.emit('withheld') : to.write(part)));
    near.on('end', () => isFrozen || far.end());
    far.on('end', () => isFrozen || near.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server that listens has one
  return {
    url: through.href,
    /** @returns a promise that resolves when something has been withheld */
    freeze: () => {
      isFrozen = true;
      return once(server, 'withheld');
    },
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

test('a server whose database stands still ends on a signal all the same', needsPostgres, async (t) => {
  await using place = await newSchema();
  // Closed before the schema is dropped: behind it, a transaction may hold locks.
  using proxy = await freezableProxy(place.connectionString);
  const options = ['--storage', proxy.url, '--tls', 'off', '--drain', '0', '--admin-password', 'the-admin-password'];
  const server = await startServer(t, temporaryFolder(t), options);
  const token = await server.login('the-admin-password');
  const withheld = proxy.freeze();
  const cutOff = server.request('GET', '/identities', { token }).catch(() => undefined);
  await withheld; // a statement waits for its answer
  const { code, signal } = await server.stop();
  await cutOff;
  // 3 says that the store did not close in time; one that gives up its connections sooner may.
  assert.ok(signal === null && (code === 0 || code === 3), `${code} ${signal}`);
});
