import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { type Client, createClient } from '../../client/index.ts';
import { proves } from '../specification.ts';
import { ADMIN, type App, onEveryStore } from '../support/app.ts';
import { totp } from '../support/mfa.ts';
import { csr } from '../support/pki.ts';

/** A way to the operations: the story does not know whether they are in this process or elsewhere. */
interface Way {
  readonly management: Client;
  /** As somebody without a session. */
  readonly nobody: Client;
  /** As the owner of a session. */
  as(token: string): Client;
}

/** A client elsewhere, which presents these certificates in the TLS handshake. */
const remote = (
  app: App,
  credentials: { username: string; password: string } | { session: string } | undefined,
  certificates: readonly Uint8Array[] = [],
) => {
  const handle = fetchHandler(app.controller);
  return createClient({
    baseUrl: 'https://controller.test',
    api: credentials && 'username' in credentials ? 'management' : 'client',
    ...(credentials ? { credentials } : {}),
    fetch: (url, init) => handle(new Request(url, init), { peerCertificates: certificates }),
  });
};

const overHttp = (app: App): Way => ({
  management: remote(app, ADMIN),
  nobody: remote(app, undefined),
  as: (session) => remote(app, { session }),
});
const inProcess = ({ controller }: App): Way => ({ management: controller.api, nobody: controller.api, as: controller.as });

const refused = (work: Promise<unknown>, status: number, code: string) => assert.rejects(work, { status, code });

/** A wiki that devices may dial from the domain `home.test`, once they gave a code within ten minutes. */
const wikiBehindChecks = async ({ management }: Way) => {
  const { id: wiki } = await management.services.create({ body: { name: 'wiki', encryptionRequired: true, roleAttributes: ['web'] } });
  await management.edgeRouters.create({ body: { name: 'router' } });
  const all = ['#all'];
  const anyOf = { semantic: 'AnyOf' } as const;
  await management.edgeRouterPolicies.create({
    body: { name: 'routers of identities', ...anyOf, identityRoles: all, edgeRouterRoles: all },
  });
  await management.serviceEdgeRouterPolicies.create({
    body: { name: 'routers of services', ...anyOf, serviceRoles: all, edgeRouterRoles: all },
  });
  await management.postureChecks.create({
    body: { name: 'at home', typeId: 'DOMAIN', domains: ['home.test'], roleAttributes: ['strict'] },
  });
  await management.postureChecks.create({ body: { name: 'code', typeId: 'MFA', timeoutSeconds: 600, roleAttributes: ['strict'] } });
  await management.servicePolicies.create({
    body: {
      name: 'devices read',
      type: 'Dial',
      ...anyOf,
      identityRoles: ['#device'],
      serviceRoles: ['#web'],
      postureCheckRoles: ['#strict'],
    },
  });
  return wiki;
};

/** A new device turns its token into a certificate for a key of its own. @returns it, and the chain that it presents */
const enroll = async ({ management, nobody }: Way) => {
  const enrollment = { ott: true };
  const { id } = await management.identities.create({
    body: { name: 'phone', type: 'Device', isAdmin: false, roleAttributes: ['device'], enrollment },
  });
  const { ott } = (await management.identities.get({ id })).enrollment;
  assert.ok(ott?.jwt);
  const { cert = '' } = await nobody.enrolling.ott({ body: { token: ott.token, clientCsr: (await csr('CN=phone')).csr } });
  const { enrollment: left, authenticators } = await management.identities.get({ id });
  assert.deepEqual(left, {});
  const chain = (cert.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----\n/g) ?? []).map(
    (pem) => new Uint8Array(new X509Certificate(pem).raw),
  );
  assert.ok(authenticators?.cert?.fingerprint);
  await refused(
    nobody.enrolling.ott({ body: { token: ott.token, clientCsr: (await csr('CN=thief')).csr } }),
    400,
    'INVALID_ENROLLMENT_TOKEN',
  );
  return { id, chain };
};

const story = async (app: App, way: Way): Promise<void> => {
  const { management } = way;
  const wiki = await wikiBehindChecks(way);
  const { id, chain } = await enroll(way);
  // Certificates are presented to whoever ends TLS, and so a login by one always comes over HTTP.
  const login = () => remote(app, undefined, chain).authentication.authenticate({ method: 'cert', body: {} });
  const { token, authQueries } = await login();
  assert.deepEqual(authQueries, []);
  const device = way.as(token ?? '');
  assert.equal((await device.currentIdentity.get()).name, 'phone');

  const passing = async (of: Client) => (await of.accessibleServices.get({ id: wiki })).postureQueries?.map(({ isPassing }) => isPassing);
  const tell = (domain: string) => device.postureResponses.create({ body: { typeId: 'DOMAIN', id: 'any', domain } });
  const dial = async (of = device) => (await of.sessions.create({ body: { serviceId: wiki, type: 'Dial' } })).id;
  const living = async () => (await management.sessions.list({ limit: 500 })).data.map((one) => one.id);

  // It gives a code and says where it is, and the wiki is open to it.
  assert.deepEqual(await passing(device), [false]);
  await device.currentMfa.enroll();
  const { provisioningUrl = '' } = await device.currentMfa.get();
  const code = () => totp(new URL(provisioningUrl).searchParams.get('secret') ?? '', app.clock.now());
  await device.currentMfa.verify({ body: { code: code() } });
  assert.deepEqual(await passing(device), [false]);
  await tell('home.test');
  assert.deepEqual(await passing(device), [true]);
  const { data } = await device.accessibleServices.list();
  assert.deepEqual(
    data.map(({ name, permissions }) => [name, permissions]),
    [['wiki', ['Dial']]],
  );
  const first = await dial();
  assert.deepEqual(await living(), [first]);
  assert.equal((await device.sessions.get({ id: first })).serviceId, wiki);

  // It leaves home: the session ends, and it is told why there is no other, as administrators are.
  await tell('cafe.test');
  assert.deepEqual(await living(), []);
  await refused(device.sessions.get({ id: first }), 404, 'NOT_FOUND');
  await refused(dial(), 409, 'INVALID_POSTURE');
  assert.deepEqual(
    (await device.accessibleServices.list()).data.map(({ permissions }) => permissions),
    [['Dial']],
  );
  const [failure, ...others] = await management.identities.getFailedServiceRequests({ id });
  assert.deepEqual([failure?.serviceName, failure?.sessionType, others], ['wiki', 'Dial', []]);
  assert.deepEqual(
    failure?.policyFailures?.map(({ policyName, checks }) => [
      policyName,
      checks?.map(({ postureCheckName, actualValue }) => [postureCheckName, actualValue]),
    ]),
    [['devices read', [['at home', 'cafe.test']]]],
  );

  // It comes home.
  await tell('home.test');
  const second = await dial();
  assert.notEqual(second, first);
  app.clock.advance('10m');
  assert.deepEqual(await living(), [second]);

  // Its code gets too old, and a new one is another beginning.
  app.clock.advance('1ms');
  assert.deepEqual(await living(), []);
  assert.deepEqual(await passing(device), [false]);
  await refused(dial(), 409, 'INVALID_POSTURE');
  await device.authentication.authenticateMfa({ body: { code: code() } });
  assert.deepEqual(await passing(device), [true]);
  const third = await dial();
  assert.deepEqual([await living(), third === second], [[third], false]);

  // It is lost: nothing is open to it, until it is found again and proves itself with both factors.
  await management.identities.disable({ id, body: { durationMinutes: 0 } });
  assert.deepEqual(await living(), []);
  assert.ok((await management.identities.get({ id })).disabled);
  await refused(device.accessibleServices.list(), 401, 'UNAUTHORIZED');
  await refused(login(), 401, 'INVALID_AUTH');
  await management.identities.enable({ id });
  await refused(device.accessibleServices.list(), 401, 'UNAUTHORIZED');
  const found = await login();
  assert.deepEqual(
    found.authQueries?.map(({ typeId }) => typeId),
    ['MFA'],
  );
  const again = way.as(found.token ?? '');
  await refused(dial(again), 401, 'UNAUTHORIZED');
  app.clock.advance('30s');
  await again.authentication.authenticateMfa({ body: { code: code() } });
  const last = await dial(again);
  assert.deepEqual(await living(), [last]);

  // It is sold.
  await management.identities.delete({ id });
  assert.deepEqual(await living(), []);
  await refused(again.accessibleServices.list(), 401, 'UNAUTHORIZED');
  await refused(login(), 401, 'INVALID_AUTH');
  await refused(management.identities.getFailedServiceRequests({ id }), 404, 'NOT_FOUND');
};

onEveryStore('a day of a device', (open) => {
  test(
    'over HTTP a device enrolls, dials, loses and regains its access, is disabled, enabled and deleted',
    proves(11, 245, 246, 247, 274, 276, 277, 292),
    async () => {
      await using app = await open();
      await story(app, overHttp(app));
    },
  );

  test(
    'in process a device enrolls, dials, loses and regains its access, is disabled, enabled and deleted',
    proves(11, 245, 246, 247, 274, 276, 277, 292),
    async () => {
      await using app = await open();
      await story(app, inProcess(app));
    },
  );
});
