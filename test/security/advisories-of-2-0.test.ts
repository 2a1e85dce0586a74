/**
 * The public advisories and faults of the reference controller 2.0.1 to 2.0.3 that have no file of their own. Those that have one:
 * GHSA-4h58-w989-xgg4 (`tokens-for-others-enroll`), GHSA-7868-235p-7497 (`circuits-for-another-identity`),
 * GHSA-whjr-3j94-gw3c (`outbound-to-loopback`).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { PERMISSIONS } from '../../src/contract/api/permissions.ts';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { network } from '../support/network.ts';
import { csr } from '../support/pki.ts';

const C = '/edge/client/v1';
const LATER = '2099-01-01T00:00:00.000Z';
const MEBIBYTE = 1_048_576;
const PART = 65_536;

onEveryStore('the advisories of the reference controller 2.0', (open) => {
  test('#4010, #4049: a right to enrollments does not make, show, refresh or delete those of an administrator', async () => {
    await using app = await open();
    const boss = await app.user({ isAdmin: true });
    const enrollment = await app.create('/enrollments', { identityId: boss.id, method: 'ott', expiresAt: LATER });
    const as = await (await app.user({ permissions: ['enrollment', 'identity.read'] })).login();
    for (const [method, path, body] of [
      ['POST', '/enrollments', { identityId: boss.id, method: 'updb', username: 'stolen', expiresAt: LATER }],
      ['GET', `/enrollments/${enrollment}`],
      ['POST', `/enrollments/${enrollment}/refresh`, { expiresAt: LATER }],
      ['DELETE', `/enrollments/${enrollment}`],
    ] as const) {
      const answer = await app.request(method, path, { as, body });
      assert.deepEqual([answer.status, answer.body.error.cause.code], [401, 'UNHANDLED'], `${method} ${path}`);
    }
    for (const path of ['/enrollments', `/identities/${boss.id}/enrollments`])
      assert.deepEqual((await app.request('GET', path, { as })).body.data, []);
    assert.equal((await app.rows('enrollment')).length, 1);
  });

  test('#3837: no permission takes a snapshot, and none is written to a path that a caller names', async () => {
    await using app = await open();
    const as = await (await app.user({ permissions: [...PERMISSIONS] })).login();
    for (const body of [undefined, { path: '/etc/passwd' }]) {
      assert.equal((await app.request('POST', '/database/snapshot', { as, body })).status, 401);
      assert.ok([404, 405].includes((await app.request('POST', '/fabric/v1/database', { as, body })).status));
      assert.equal((await app.request('POST', '/fabric/v1/database/snapshot', { as, body: body ?? {} })).status, 401);
    }
    assert.equal((await app.request('GET', '/edge/management/extensions/v1/database/snapshot', { as })).status, 401);
    assert.equal(app.snapshots.size, 0);
    // Not even for an administrator: the host decides where it is stored.
    const taken = await app.request('POST', '/fabric/v1/database/snapshot', { body: { path: '/etc/passwd' } });
    assert.deepEqual([...app.snapshots.keys()], [taken.body.data.path]);
    assert.match(taken.body.data.path, /^[\w-]+$/);
  });

  test('GHSA-6v5r: the certificates of a session are out of reach of other sessions, whatever their permissions', async () => {
    await using app = await open();
    const at = `${C}/current-api-session/certificates`;
    const as = await (await app.user()).login();
    const made = await app.request('POST', at, { as, body: { csr: (await csr('CN=any')).csr } });
    assert.equal(made.status, 201, made.text);
    const { id } = made.body.data;
    const delegate = await (await app.user({ permissions: [...PERMISSIONS] })).login();
    for (const other of [delegate, app.admin]) {
      assert.deepEqual((await app.request('GET', `${at}?filter=true`, { as: other })).body.data, []);
      assert.equal((await app.request('GET', `${at}/${id}`, { as: other })).status, 404);
      assert.equal((await app.request('DELETE', `${at}/${id}`, { as: other })).status, 404);
    }
    assert.equal((await app.request('GET', `${at}/${id}`, { as })).status, 200);
  });

  test('GHSA-q8g9, GHSA-j952: no API reads a body of more than 1 MiB from a stranger', async () => {
    await using app = await open();
    const handle = fetchHandler(app.controller);
    for (const path of [
      '/edge/management/v1/authenticate?method=password',
      `${C}/authenticate?method=password`,
      `${C}/enroll?method=ott&token=none`,
      `${C}/enroll/token`,
      '/oidc/login/password?id=none',
      '/oidc/oauth/token',
    ]) {
      let sent = 0;
      const body = new ReadableStream({
        pull: (to) => {
          sent += PART;
          to.enqueue(new Uint8Array(PART).fill(32));
        },
      });
      const type = path.startsWith('/oidc') ? 'application/x-www-form-urlencoded' : 'application/json';
      const init = { method: 'POST', headers: { 'content-type': type }, body, duplex: 'half' } as const;
      const { status } = await handle(new Request(`https://127.0.0.1:1280${path}`, init));
      assert.equal(status, 413, path);
      assert.ok(sent <= MEBIBYTE + 4 * PART, `${path}: read ${sent}`);
    }
  });

  test('GHSA-354c: a posture check that asks for MFA on wake refuses an endpoint without MFA, whatever the endpoint reports', async () => {
    await using app = await open();
    const net = network(app);
    const check = { name: 'mfa', typeId: 'MFA', promptOnWake: true, promptOnUnlock: true, timeoutSeconds: 60, roleAttributes: ['all'] };
    await app.create('/posture-checks', check);
    const service = await net.service('wiki', 'all');
    await net.dial({ identities: ['#all'], services: ['#all'], checks: ['#all'] });
    const { username } = await app.user({ roleAttributes: ['all'] });
    const body = { username, password: PASSWORD };
    const { token } = (await app.request('POST', `${C}/authenticate?method=password`, { as: null, body })).body.data;
    const listed = await app.request('GET', `${C}/services`, { as: token });
    assert.equal(listed.body.data[0].postureQueries[0].isPassing, false);
    const assertRefused = async () => {
      const dialed = await app.request('POST', `${C}/sessions`, { as: token, body: { serviceId: service, type: 'Dial' } });
      assert.equal(dialed.body.error.code, 'INVALID_POSTURE', dialed.text);
    };
    await assertRefused();
    for (const [report, status] of [
      [{ typeId: 'ENDPOINT_STATE', woken: true }, 201],
      [{ typeId: 'ENDPOINT_STATE', unlocked: true }, 201],
      [{ typeId: 'ENDPOINT_STATE' }, 201],
      [{ typeId: 'MFA', endpointState: { woken: true, unlocked: true } }, 400],
    ] as const) {
      const sent = await app.request('POST', `${C}/posture-response-bulk`, { as: token, body: [{ id: '0', ...report }] });
      assert.equal(sent.status, status, sent.text);
      await assertRefused();
    }
  });
});
