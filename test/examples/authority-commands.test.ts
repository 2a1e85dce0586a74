import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { join as enroll, login } from '../../examples/enroll-device.ts';
import { type Running, runServer, startServer, temporaryFolder } from './child.ts';

const ADMIN_PASSWORD = 'the-admin-password';

const jwtFrom = async (server: Running, name: string): Promise<string> => {
  const token = await server.login(ADMIN_PASSWORD);
  const body = { name, type: 'Device', isAdmin: false, enrollment: { ott: true } };
  const { id } = (await server.request('POST', '/identities', { token, body })).body.data;
  return (await server.request('GET', `/identities/${id}`, { token })).body.data.enrollment.ott.jwt;
};

test('authority lists what ends when; authority rotate begins a rotation beside a running server, which devices do not notice', async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServer(t, folder, [], { ADMIN_PASSWORD });
  const device = await enroll(await jwtFrom(server, 'lift 1'));
  const jwt = await jwtFrom(server, 'lift 2');
  const rootFile = server.told('root certificate') ?? '';
  const root = readFileSync(rootFile, 'utf8');

  const listed = await runServer(folder, ['authority']);
  assert.equal(listed.code, 0, listed.err);
  assert.match(
    listed.out,
    /^\d{4}-\S+Z {2}signer {8}\S.*CN=overlay-controller signer .*\n\d{4}-\S+Z {2}root {10}.*CN=overlay-controller root .*\n$/,
  );

  const begun = await runServer(folder, ['authority', 'rotate']);
  assert.match(begun.out, /^started to replace the authority: the new one signs from \S+Z, and the old one is trusted until \S+Z\n$/);
  const again = await runServer(folder, ['authority', 'rotate']);
  assert.deepEqual([again.code, again.out], [1, '']);
  assert.match(again.err, /^error: the authority is being replaced already: the new one signs from \S+Z on\n$/);
  assert.doesNotMatch(listed.out + begun.out + again.err, /BEGIN/);

  assert.equal((await login(device)).identity.name, 'lift 1');
  await server.stop();
  const restarted = await startServer(t, folder, ['--port', new URL(server.url).port], { ADMIN_PASSWORD });
  assert.equal(readFileSync(rootFile, 'utf8'), root, 'servers keep certificates below the old root');
  assert.equal((await login(device)).identity.name, 'lift 1');
  const second = await enroll(jwt);
  assert.equal(second.ca.match(/BEGIN CERTIFICATE/g)?.length, 2, 'clients learn of the new root at once');
  assert.equal((await login(second)).identity.name, 'lift 2');
  await restarted.stop();
});

test('they need a network, and say how they are called', async (t) => {
  const folder = temporaryFolder(t);
  for (const args of [['authority'], ['authority', 'rotate']]) {
    const { code, err } = await runServer(folder, [...args, '--storage', 'sqlite:none.db']);
    assert.equal(code, 1);
    assert.match(err, /^error: the database none\.db does not exist\n$/);
  }
  const { code, out } = await runServer(folder, ['authority', 'rotate', '--help']);
  assert.equal(code, 0);
  assert.match(out, /^Usage: overlay-controller authority rotate \[options\]\n/);
  assert.match((await runServer(folder, ['--help'])).out, /^ {2}authority rotate +replace the network's authority/m);
  assert.match((await runServer(folder, ['authority', 'turn'])).err, /^error: .*turn/);
});
