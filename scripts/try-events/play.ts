import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expected, login } from '../try-adopt/ask.ts';
import { makeAuthority, request } from '../try-adopt/certificates.ts';
import { stop } from '../try-adopt/former-controller.ts';
import { writeJwt } from '../try-adopt/former-network.ts';
import { codeOf } from '../try-adopt/totp.ts';
import { canDial, identityIn, listed, PORTS, writeRouter } from '../try-adopt/trial.ts';
import { connectTo } from '../try-routers/connections.ts';
import { until } from '../try-routers/until.ts';
import type { Network } from './networks.ts';
import type { Event } from './shapes.ts';

/** Ports of the client for services whose dials fail. */
const FAILING = { nobody: PORTS.newcomer, closed: PORTS.latecomer } as const;

/** Time until routers have reported who is connected, and what their links have. ms */
const REPORTED_MS = 7000;

/** Time until routers and the controller have reported what they count once a minute. ms */
const MINUTE_MS = 75_000;

const createIn =
  ({ manage }: Network) =>
  async (path: string, body: object): Promise<string> =>
    (await expected(manage(`management/v1/${path}`, { body }))).data.id;

/** Plays the script: the same on every network. */
export const play = async (network: Network): Promise<void> => {
  await makeEntities(network);
  const programs = await makeTraffic(network);
  await makeSessions(network);
  await dialInAllWays(network);
  const lyon = await restartRouter(network, programs.lyon);
  await endAll(network, { ...programs, lyon });
};

/** Each kind of entity is created, updated and deleted. */
const makeEntities = async (network: Network): Promise<void> => {
  const { manage, ask } = network;
  const create = createIn(network);
  const certPem = await makeAuthority(network, 'company');
  const signer = { issuer: 'https://issuer.example', audience: 'devices', claimsProperty: 'sub', enabled: true };
  const type = await create('config-types', { name: 'a-type', schema: { type: 'object' } });
  const service = await create('services', { name: 'a-service', encryptionRequired: true, roleAttributes: ['some'] });
  const semantic = 'AnyOf';
  const bodies: readonly (readonly [path: string, body: object, patch?: object])[] = [
    ['configs', { name: 'a-config', configTypeId: type, data: { place: 'north' } }, { data: { place: 'south' } }],
    ['identities', { name: 'a-device', type: 'Default', isAdmin: false, roleAttributes: ['some'], enrollment: { ott: true } }],
    ['edge-routers', { name: 'a-router', roleAttributes: ['some'] }],
    ['transit-routers', { name: 'a-transit-router' }],
    ['service-policies', { name: 'a-policy', semantic, type: 'Dial', identityRoles: ['#some'], serviceRoles: ['#some'] }],
    ['edge-router-policies', { name: 'a-policy', semantic, identityRoles: ['#some'], edgeRouterRoles: ['#some'] }],
    ['service-edge-router-policies', { name: 'a-policy', semantic, serviceRoles: ['#some'], edgeRouterRoles: ['#some'] }],
    [
      'posture-checks',
      { name: 'a-check', typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }], roleAttributes: [] },
      { typeId: 'OS' },
    ],
    [
      'cas',
      { name: 'a-ca', certPem, isAuthEnabled: true, isOttCaEnrollmentEnabled: true, isAutoCaEnrollmentEnabled: true, identityRoles: [] },
    ],
    ['external-jwt-signers', { name: 'a-signer', ...signer, certPem, kid: 'key' }],
  ];
  for (const [path, body, patch] of bodies) {
    const id = await create(path, body);
    await expected(manage(`management/v1/${path}/${id}`, { method: 'PATCH', body: { tags: { floor: '3' }, ...patch } }));
    await expected(manage(`management/v1/${path}/${id}`, { method: 'DELETE' }));
  }
  for (const path of [`services/${service}`, `config-types/${type}`]) {
    const schema = path.startsWith('config-types') ? { schema: { type: 'object' } } : {};
    await expected(manage(`management/v1/${path}`, { method: 'PATCH', body: { tags: { floor: '3' }, ...schema } }));
    await expected(manage(`management/v1/${path}`, { method: 'DELETE' }));
  }
  const { data } = await expected(manage('management/v1/auth-policies/default'));
  const policy = await create('auth-policies', { name: 'an-auth-policy', primary: data.primary, secondary: data.secondary });
  await expected(manage(`management/v1/auth-policies/${policy}`, { method: 'PATCH', body: { tags: { floor: '3' } } }));
  await expected(manage(`management/v1/auth-policies/${policy}`, { method: 'DELETE' }));

  const user = await create('identities', { name: 'alice', type: 'Default', isAdmin: false, enrollment: { updb: 'alice' } });
  const { token } = (await expected(manage(`management/v1/identities/${user}`))).data.enrollment.updb;
  await expected(ask(`client/v1/enroll/updb?token=${token}`, { body: { username: 'alice', password: 'password-of-alice' } }));
};

interface Programs {
  readonly paris: ChildProcess;
  readonly lyon: ChildProcess;
  readonly proxy: ChildProcess;
}

/** Two routers with a link, a host at one (lyon) and a client at the other. */
const makeTraffic = async (network: Network): Promise<Programs> => {
  const { folder, processes, manage, events } = network;
  const create = createIn(network);
  const types = Object.fromEntries((await listed(manage, 'config-types')).map(({ name, id }) => [name, id]));
  const hosted = async (name: string, port: number): Promise<string> => {
    const data = { protocol: 'tcp', address: '127.0.0.1', port };
    const config = await create('configs', { name, configTypeId: types['host.v1'], data });
    return create('services', { name, encryptionRequired: true, configs: [config], roleAttributes: ['hosted'] });
  };
  const echo = await hosted('echo', PORTS.echo);
  await hosted('closed', PORTS.closed);
  await create('services', { name: 'nobody', encryptionRequired: true, roleAttributes: ['hosted'] });
  // No machine has this interface, of which a router alerts its operator.
  const data = { port: PORTS.restarted, protocols: ['tcp'], binding: 'nosuchif0' };
  const proxied = await create('configs', { name: 'proxied', configTypeId: types['proxy.v1'], data });
  await create('services', { name: 'proxied', encryptionRequired: true, configs: [proxied], roleAttributes: ['proxied'] });
  const identity = (name: string, more: object) =>
    create('identities', { name, type: 'Default', isAdmin: false, enrollment: { ott: true }, ...more });
  await identity('host', { roleAttributes: ['hosts'], serviceHostingCosts: { [echo]: 7 } });
  await identity('client', { roleAttributes: ['clients'] });
  const policy = { semantic: 'AnyOf', serviceRoles: ['#hosted'] };
  await create('service-policies', { ...policy, name: 'bind', type: 'Bind', identityRoles: ['#hosts'] });
  await create('service-policies', { ...policy, name: 'dial', type: 'Dial', identityRoles: ['#clients'] });
  const atRouters = (name: string, router: string) =>
    create('edge-router-policies', { name, semantic: 'AnyOf', identityRoles: [`#${name}`], edgeRouterRoles: [`#${router}`] });
  await atRouters('clients', 'public');
  await atRouters('hosts', 'inner');
  const all = { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] };
  await create('service-edge-router-policies', { name: 'everything', semantic: 'AnyOf', ...all });
  for (const name of ['host', 'client']) {
    await writeJwt({ folder, manage }, 'identities', name);
    await processes.run('ziti', 'edge', 'enroll', `${name}.jwt`, '--keyAlg', 'EC', '--out', `${name}.json`);
  }
  const startRouter = async (name: string, at: number, roleAttributes: readonly string[]): Promise<ChildProcess> => {
    const id = await create('edge-routers', { name, roleAttributes, isTunnelerEnabled: true });
    await create('service-policies', { ...policy, name, type: 'Dial', serviceRoles: ['#proxied'], identityRoles: [`@${id}`] });
    await writeJwt({ folder, manage }, 'edge-routers', name);
    const file = writeRouter(network, name, at);
    const config = JSON.parse(readFileSync(file, 'utf8'));
    const metrics = { reportInterval: '5s', intervalAgeThreshold: '6s' };
    const listeners = [...config.listeners, { binding: 'tunnel', options: { mode: 'proxy' } }];
    writeFileSync(file, JSON.stringify({ ...config, listeners, metrics }));
    await processes.run('ziti', 'router', 'enroll', file, '--jwt', `${name}.jwt`);
    return runRouter(network, name);
  };
  const paris = await startRouter('paris', 0, ['public']);
  const lyon = await startRouter('lyon', 1, ['inner']);
  processes.start('host', 'ziti', 'tunnel', 'host', '--identity', 'host.json');
  const ports = [`echo:${PORTS.proxy}`, `nobody:${FAILING.nobody}`, `closed:${FAILING.closed}`];
  const proxy = processes.start('proxy', 'ziti', 'tunnel', 'proxy', '--identity', 'client.json', ...ports);
  await until('a line comes back', () => canDial());
  await until('there is a link', async () => events().some(is('link', 'routerLinkNew')));
  await pause(REPORTED_MS);
  return { paris, lyon, proxy };
};

/** Starts a router, and waits until it is online. */
const runRouter = async ({ processes, manage }: Network, name: string): Promise<ChildProcess> => {
  const child = processes.start(name, 'ziti', 'router', 'run', `${name}.yml`);
  const found = async () => (await listed(manage, 'edge-routers')).find((router) => router.name === name);
  await until(`${name} is online`, async () => (await found())?.isOnline ?? false);
  return child;
};

/** Logins of all kinds, second factors, sessions that are deleted, and a terminator. */
const makeSessions = async (network: Network): Promise<void> => {
  const { folder, processes, ask, manage } = network;
  const create = createIn(network);
  assert.equal(await login(ask, 'alice', 'wrong-password'), undefined);
  assert.equal(await login(ask, 'nobody', 'wrong-password'), undefined);
  const session = await login(ask, 'alice', 'password-of-alice');
  const { data } = await expected(ask('client/v1/current-api-session', { session }));
  await expected(ask('client/v1/current-identity/mfa', { method: 'POST', session }));
  const { provisioningUrl } = (await expected(ask('client/v1/current-identity/mfa', { session }))).data;
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  await expected(ask('client/v1/current-identity/mfa/verify', { session, body: { code: codeOf(secret) } }));
  await expected(manage(`management/v1/identities/${data.identityId}/mfa`, { method: 'DELETE' }));
  await expected(manage(`management/v1/api-sessions/${data.id}`, { method: 'DELETE' }));

  const identity = identityIn(folder, 'client');
  const ofClient = (await expected(ask('client/v1/authenticate?method=cert', { identity, body: {} }))).data.token;
  const csr = await request({ folder, processes }, 'of-the-session');
  const { id } = (await expected(ask('client/v1/current-api-session/certificates', { session: ofClient, body: { csr } }))).data;
  await expected(ask(`client/v1/current-api-session/certificates/${id}`, { session: ofClient, method: 'DELETE' }));
  const services = await listed(manage, 'services');
  const echo = services.find(({ name }) => name === 'echo')?.id;
  const dial = (await expected(ask('client/v1/sessions', { session: ofClient, body: { serviceId: echo, type: 'Dial' } }))).data.id;
  await expected(ask(`client/v1/sessions/${dial}`, { session: ofClient, method: 'DELETE' }));
  await expected(ask('client/v1/sessions', { session: ofClient, body: { serviceId: echo, type: 'Dial' } }));
  await expected(ask('client/v1/current-api-session', { session: ofClient, method: 'DELETE' }));

  const router = (await listed(manage, 'edge-routers')).find(({ name }) => name === 'paris')?.id;
  const nobody = services.find(({ name }) => name === 'nobody')?.id;
  const address = `tcp:127.0.0.1:${PORTS.closed}`;
  const terminator = await create('terminators', { service: nobody, router, binding: 'transport', address });
  await expected(manage(`management/v1/terminators/${terminator}`, { method: 'PATCH', body: { cost: 5, precedence: 'required' } }));
  await tryDial(FAILING.nobody);
  await expected(manage(`management/v1/terminators/${terminator}`, { method: 'DELETE' }));
};

const tryDial = async (port: number): Promise<void> => {
  assert.equal(await canDial(port), false, 'a dial succeeds that should fail');
};

/** Circuits that carry bytes, move and are deleted, and dials that fail. */
const dialInAllWays = async ({ processes }: Network): Promise<void> => {
  for (const port of Object.values(FAILING)) await tryDial(port);
  const connection = await connectTo(PORTS.proxy);
  assert.ok(await connection.echo('x'.repeat(20_000)));
  const links = await processes.run('ziti', 'fabric', 'list', 'links');
  const [, link = ''] = /│ (\S+) +│ (?:paris +│ lyon|lyon +│ paris) /.exec(links) ?? [];
  await processes.run('ziti', 'fabric', 'update', 'link', link, '--static-cost', '10');
  assert.ok(await connection.echo('y'.repeat(20_000)));
  const [, circuit = ''] = /│ (\S+) +│ .*echo/.exec(await processes.run('ziti', 'fabric', 'list', 'circuits')) ?? [];
  await processes.run('ziti', 'fabric', 'delete', 'circuit', circuit);
  connection.end();
  for (let i = 0; i < 3; i++) assert.ok(await canDial());
};

/** The router of the host stops while a connection is open, and starts again. */
const restartRouter = async (network: Network, lyon: ChildProcess): Promise<ChildProcess> => {
  const connection = await connectTo(PORTS.proxy);
  await connection.echo('before');
  await stop(lyon);
  connection.end();
  await pause(REPORTED_MS);
  const again = await runRouter(network, 'lyon');
  await until('a line comes back', () => canDial());
  await pause(REPORTED_MS);
  return again;
};

/** What is counted by the minute is awaited. Then the client ends, and the routers are killed while the host is connected. */
const endAll = async ({ manage, events }: Network, { paris, lyon, proxy }: Programs): Promise<void> => {
  const closed = (await listed(manage, 'services')).find(({ name }) => name === 'closed')?.id;
  await expected(manage(`management/v1/services/${closed}`, { method: 'DELETE' }));
  const arrived = (kind: string, type: string) => eventually(() => events().some(is(kind, type)), MINUTE_MS);
  await arrived('service', 'service.dial.success');
  await stop(proxy);
  await arrived('sdk', 'sdk-offline');
  for (const router of [paris, lyon]) router.kill('SIGKILL');
  await arrived('sdk', 'sdk-status-unknown');
  await pause(2000);
};

const eventually = async (isTrue: () => boolean, ms: number): Promise<void> => {
  for (const end = Date.now() + ms; !isTrue() && Date.now() < end; ) await pause(1000);
};

const is =
  (kind: string, type: string) =>
  (event: Event): boolean =>
    event.namespace === kind && event.event_type === type;
