/**
 * Nothing of one tenant is known in another: neither ids nor tokens nor certificates, though both have the same authority and the same
 * names.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { entries } from '../../src/controller/entries.ts';
import { type App, PASSWORD } from '../support/app.ts';
import { aCertificate, certificateLogin } from '../support/certificates.ts';
import { readEnrollment, sendCsr, setPassword, toEnroll } from '../support/enrolling.ts';
import { begin, byPassword, codeOf, post, redeem, tokensIn } from '../support/oidc.ts';
import { csr, SHARED_PKI } from '../support/pki.ts';
import { exported, newTenant, onEveryTenantStore, openTenants, type TenantClient } from '../support/tenants.ts';
import { until } from '../support/until.ts';

/** These helpers use of an `App` what a client of a tenant has. */
const app = (client: TenantClient): App => client as App;

const addresses = entries.flatMap(({ operation: { method, path, surfaces } }) =>
  path.includes('{') ? surfaces.map(({ prefix }) => ({ method, path: `${prefix === '/' ? '' : prefix}${path}` })) : [],
);

onEveryTenantStore('two tenants', (newDatabase) => {
  test('hear no network events of each other, and are counted apart', async () => {
    await using database = newDatabase();
    await using tenants = await openTenants(database, { ...SHARED_PKI });
    const [acme] = [await newTenant(tenants.overlays, 'acme'), await newTenant(tenants.overlays, 'bravo')];
    await tenants.overlays.use('bravo', async ({ api }) => {
      const heard: string[] = [];
      const ending = new AbortController();
      const follow = async () => {
        for await (const event of api.networkEvents.follow({ signal: ending.signal })) heard.push(JSON.stringify(event));
      };
      const following = follow().catch(() => undefined);
      await until(() => heard.length === 1);
      await acme.create('/services', { name: 'of-acme', encryptionRequired: true });
      await api.services.create({ body: { name: 'of-bravo', encryptionRequired: true } });
      tenants.clock.advance('1s');
      await until(() => heard.some((event) => event.includes('entityCount')));
      ending.abort();
      await following;
      assert.ok(heard.some((event) => event.includes('of-bravo')) && !heard.some((event) => event.includes('of-acme')));
      assert.ok(heard.some((event) => event.includes('"services":1,')));
    });
  });

  test('know no id of each other: every operation answers as for an id that nobody has, and changes nothing', async () => {
    await using database = newDatabase();
    await using tenants = await openTenants(database, { ...SHARED_PKI, oidc: true });
    const [acme, bravo] = [await newTenant(tenants.overlays, 'acme'), await newTenant(tenants.overlays, 'bravo')];
    const { identityId } = await toEnroll(app(acme));
    await aCertificate(app(acme));
    const serviceId = await acme.create('/services', { name: 'files', encryptionRequired: true });
    await acme.create('/service-policies', {
      name: 'all',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${identityId}`],
      serviceRoles: [`@${serviceId}`],
    });
    await acme.create('/edge-routers', { name: 'router' });
    const { rows } = await exported(tenants.overlays, 'acme');
    const mine = new Set((await exported(tenants.overlays, 'bravo')).rows.map(idIn));
    // Built-in rows have the same ids everywhere.
    const ids = rows.map(idIn).filter((id) => !mine.has(id));
    assert.ok(ids.length > 10 && addresses.length > 100, `${ids.length} ${addresses.length}`);
    const answerOf = async ({ method, path }: (typeof addresses)[number], id: string) => {
      const target = path.replaceAll(/\{\w+\}/g, id);
      const { status, body, text } = await bravo.request(method, target, method === 'GET' || method === 'DELETE' ? {} : { body: {} });
      assert.ok(!text.includes('files') && status < 500, text);
      return [status, body?.error?.code];
    };
    const anyCall = fc.record({ address: fc.constantFrom(...addresses), id: fc.constantFrom(...ids) });
    await fc.assert(
      fc.asyncProperty(anyCall, async ({ address, id }) => {
        assert.deepEqual(
          await answerOf(address, id),
          await answerOf(address, id.replaceAll(/\w/g, 'x')),
          `${address.method} ${address.path} ${id}`,
        );
      }),
      { numRuns: 300 },
    );
    const naming = async (field: string, id: string) => {
      const body = { name: `${field} ${id}`, type: 'Dial', semantic: 'AnyOf', [field]: [`@${id}`] };
      const answer = await bravo.request('POST', '/service-policies', { body });
      return [answer.status, answer.body.error?.code];
    };
    for (const [field, id] of [
      ['identityRoles', identityId],
      ['serviceRoles', serviceId],
    ] as const) {
      const [status] = await naming(field, id);
      assert.ok(Number(status) >= 400);
      assert.deepEqual(await naming(field, id), await naming(field, id.replaceAll(/\w/g, 'x')));
    }
    assert.deepEqual((await exported(tenants.overlays, 'acme')).rows.filter(isKept), rows.filter(isKept));
  });

  test('take no session, bearer token, refresh token, enrollment or certificate of each other', async () => {
    await using database = newDatabase();
    await using tenants = await openTenants(database, { ...SHARED_PKI, oidc: true });
    const [acme, bravo] = [await newTenant(tenants.overlays, 'acme'), await newTenant(tenants.overlays, 'bravo')];
    const device = await aCertificate(app(acme));
    const tokens = await bearer(acme);
    const statusAt = async (client: TenantClient, options: Parameters<App['request']>[2]) =>
      (await client.request('GET', '/current-api-session', { as: null, ...options })).status;
    const credentials = [
      { as: acme.admin },
      { as: device.as, certificates: device.certificates },
      { headers: { authorization: `Bearer ${tokens.access_token}` } },
    ];
    for (const credential of credentials)
      assert.deepEqual([await statusAt(acme, credential), await statusAt(bravo, credential)], [200, 401]);
    assert.deepEqual([(await certificateLogin(app(bravo), device)).status, (await certificateLogin(app(acme), device)).status], [401, 200]);
    const refresh = { grant_type: 'refresh_token', client_id: 'openziti', refresh_token: tokens.refresh_token };
    assert.deepEqual(
      [(await post(app(bravo), '/oauth/token', refresh)).status, (await post(app(acme), '/oauth/token', refresh)).status],
      [400, 200],
    );

    const { enrollment } = await toEnroll(app(acme));
    const { csr: request } = await csr('CN=a device');
    const unknown = await sendCsr(app(bravo), randomUUID(), request);
    const foreign = await sendCsr(app(bravo), enrollment.token, request);
    assert.deepEqual([foreign.status, foreign.body.error.code], [unknown.status, unknown.body.error.code]);
    const updb = await toEnroll(app(acme), { updb: 'anna' });
    assert.equal((await setPassword(app(bravo), updb.enrollment.token)).body.error.code, 'INVALID_ENROLLMENT_TOKEN');
    assert.ok(await readEnrollment(app(acme), enrollment.id), 'it is outstanding still');
    assert.equal((await sendCsr(app(acme), enrollment.token, request)).status, 200);
    assert.equal((await setPassword(app(acme), updb.enrollment.token)).status, 200);
    const login = { body: { username: 'anna', password: PASSWORD }, as: null };
    const logins = [acme, bravo].map((client) => client.request('POST', '/authenticate?method=password', login));
    assert.deepEqual(
      (await Promise.all(logins)).map(({ status }) => status),
      [200, 401],
    );
  });
});

const bearer = async (client: TenantClient) => {
  const begun = await begin(app(client));
  assert.ok((await byPassword(app(client), begun, 'admin', 'the-admin-password')).status < 400);
  return tokensIn(await redeem(app(client), begun, await codeOf(app(client), begun)));
};

const idIn = (line: string): string => JSON.parse(line).row.id;
/** Sessions note when they were used last. */
const isKept = (line: string): boolean => JSON.parse(line).kind !== 'apiSession';
