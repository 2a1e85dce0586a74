import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startServer, temporaryFolder } from './child.ts';

const run = promisify(execFile);
const example = join(import.meta.dirname, '../../examples/enroll-device.ts');

test('a device enrolls by its JWT, logs in by certificate, and renews the certificate, knowing nothing but the JWT', async (t) => {
  const server = await startServer(t, temporaryFolder(t), ['--storage', 'memory']);
  const token = await server.login(server.told('password') ?? '');
  const body = { name: 'lift 7', type: 'Device', isAdmin: false, enrollment: { ott: true } };
  const { id } = (await server.request('POST', '/identities', { token, body })).body.data;
  const jwtOf = async () => (await server.request('GET', `/identities/${id}`, { token })).body.data.enrollment.ott?.jwt;
  const jwt = await jwtOf();
  const { stdout } = await run(process.execPath, [example, jwt]);
  assert.match(stdout, /^enrolled until .+ GMT\nlogged in as lift 7\nrenewed .+ logged in as lift 7\n$/);
  await assert.rejects(run(process.execPath, [example, jwt]), { stderr: /INVALID_ENROLLMENT_TOKEN/ });
  assert.equal(await jwtOf(), undefined);
});

test('a device refuses a JWT that another server signed', async (t) => {
  const [one, other] = await Promise.all([0, 1].map(() => startServer(t, temporaryFolder(t), ['--storage', 'memory'])));
  assert.ok(one && other);
  const token = await one.login(one.told('password') ?? '');
  const body = { name: 'lift 7', type: 'Device', isAdmin: false, enrollment: { ott: true } };
  const { id } = (await one.request('POST', '/identities', { token, body })).body.data;
  const { jwt } = (await one.request('GET', `/identities/${id}`, { token })).body.data.enrollment.ott;
  // The same claims but for the address, which leads to the other server.
  const [header, claims = '', signature] = jwt.split('.');
  const moved = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), iss: other.url };
  const forged = [header, Buffer.from(JSON.stringify(moved)).toString('base64url'), signature].join('.');
  await assert.rejects(run(process.execPath, [example, forged]), { stderr: /signature verification failed/ });
  assert.equal((await one.request('GET', `/identities/${id}`, { token })).body.data.enrollment.ott.jwt, jwt);
});
