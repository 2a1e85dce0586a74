import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../try-routers/until.ts';
import { expected, login } from './ask.ts';
import { issue, makeAuthority } from './certificates.ts';
import { codeOf } from './totp.ts';
import { canDial, FILLER, listed, PORTS, type Trial, writeRouter } from './trial.ts';

/** What the former network has, as far as its API does not show it again. */
export interface Remembered {
  /** Passwords by name of the user. */
  readonly passwords: Readonly<Record<string, string>>;
  readonly mfa: { readonly secret: string; readonly usedCode: string; readonly unusedCode: string };
  /** Tokens of open enrollments whose method has no JWT for programs. */
  readonly updbToken: string;
  readonly unverifiedCa: { readonly id: string; readonly token: string };
}

/** Fills the former network through its API, and starts its routers, host and client. */
export const fillFormer = async (trial: Trial): Promise<Remembered> => {
  const create = async (path: string, body: object): Promise<string> =>
    (await expected(trial.manage(`management/v1/${path}`, { body }))).data.id;
  await makeTraffic(trial, create);
  if (trial.variants.has('many')) await makeMany(create);
  await makePostureChecks(create);
  const passwords = await makeUsers(trial, create);
  const unverifiedCa = await makeAuthorities(trial, create);
  const updbToken = await makeOpenEnrollments(trial, create);
  return { passwords, mfa: await makeMfa(trial), updbToken, unverifiedCa };
};

type Create = (path: string, body: object) => Promise<string>;

const makeTraffic = async (trial: Trial, create: Create): Promise<void> => {
  const { folder, processes, manage } = trial;
  const types = Object.fromEntries((await listed(manage, 'config-types')).map(({ name, id }) => [name, id]));
  const data = { protocol: 'tcp', address: '127.0.0.1', port: PORTS.echo };
  const config = await create('configs', { name: 'echo.host', configTypeId: types['host.v1'], data });
  const other = await create('configs', { name: 'echo.host of others', configTypeId: types['host.v1'], data: { ...data, port: 9 } });
  const tags = { place: 'north', floor: 3 };
  const service = await create('services', { name: 'echo', encryptionRequired: true, configs: [config], roleAttributes: ['open'], tags });
  await create('config-types', { name: 'without schema' });
  const identity = (name: string, more: object = {}) =>
    create('identities', { name, type: 'Default', isAdmin: false, enrollment: { ott: true }, ...more });
  await identity('host', { roleAttributes: ['hosts'], serviceHostingCosts: { [service]: 7 }, appData: { room: '12' } });
  await identity('client', { roleAttributes: ['clients'], externalId: 'client-7' });
  // Releases before 2.0 know no permissions.
  const extender = await identity('extender', { roleAttributes: ['clients'], tags, permissions: ['service.read', 'config'] });
  await expected(manage(`management/v1/identities/${extender}/service-configs`, { body: [{ serviceId: service, configId: other }] }));
  const policy = { semantic: 'AnyOf', serviceRoles: ['#open'] };
  await create('service-policies', { ...policy, name: 'bind', type: 'Bind', identityRoles: ['#hosts'] });
  await create('service-policies', { ...policy, name: 'dial', type: 'Dial', identityRoles: ['#clients'] });
  // Each circuit takes the link between the two routers.
  const atRouters = (name: string, identity: string, router: string) =>
    create('edge-router-policies', { name, semantic: 'AnyOf', identityRoles: [`#${identity}`], edgeRouterRoles: [`#${router}`] });
  await atRouters('clients at public routers', 'clients', 'public');
  await atRouters('hosts at inner routers', 'hosts', 'inner');
  await create('service-edge-router-policies', {
    name: 'everything',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  for (const name of ['host', 'client', 'extender']) {
    await writeJwt({ folder, manage }, 'identities', name);
    await processes.run('ziti', 'edge', 'enroll', `${name}.jwt`, '--keyAlg', 'EC', '--out', `${name}.json`);
  }
  await startRouter(trial, create, 'paris', 0, { cost: 3, roleAttributes: ['public'] });
  await startRouter(trial, create, 'lyon', 1, { roleAttributes: ['inner'] });
  processes.start('host', 'ziti', 'tunnel', 'host', '--identity', 'host.json');
  processes.start('proxy', 'ziti', 'tunnel', 'proxy', '--identity', 'client.json', `echo:${PORTS.proxy}`);
  await until('a line comes back', () => canDial());
};

/** Makes, enrolls and starts a router, and waits until it is online. */
const startRouter = async (trial: Trial, create: Create, name: string, at: number, more: object): Promise<void> => {
  const { manage, processes } = trial;
  await create('edge-routers', { name, ...more });
  await writeJwt(trial, 'edge-routers', name);
  await processes.run('ziti', 'router', 'enroll', writeRouter(trial, name, at), '--jwt', `${name}.jwt`);
  processes.start(name, 'ziti', 'router', 'run', `${name}.yml`);
  const found = async () => (await listed(manage, 'edge-routers')).find((router) => router.name === name);
  await until(`${name} is online`, async () => (await found())?.isOnline ?? false);
};

const MANY = 600;
/** How many entities are created at a time. */
const AT_ONCE = 6;

const makeMany = async (create: Create): Promise<void> => {
  const names = Array.from({ length: MANY }, (_, i) => `${FILLER} ${i}`);
  const makeSome = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const roleAttributes = [`group-${names.length % 7}`];
      await create('identities', { name, type: 'Default', isAdmin: false, roleAttributes, tags: { at: names.length } });
      await create('services', { name, encryptionRequired: true, roleAttributes });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, makeSome));
  const ofGroup = { semantic: 'AnyOf', identityRoles: ['#group-1', '#group-2'], serviceRoles: ['#group-3'] };
  await create('service-policies', { name: `${FILLER} of groups`, type: 'Dial', ...ofGroup });
};

/** Writes the JWT of an open enrollment to NAME.jwt. */
export const writeJwt = async ({ folder, manage }: Pick<Trial, 'folder' | 'manage'>, path: string, name: string): Promise<void> => {
  const found = (await listed(manage, path)).find((entity) => entity.name === name);
  const { data } = await expected(manage(`management/v1/${path}/${found?.id}`));
  const enrollment: { jwt?: string } | undefined = Object.values<{ jwt?: string }>(data.enrollment ?? {})[0];
  writeFileSync(join(folder, `${name}.jwt`), enrollment?.jwt ?? data.enrollmentJwt);
};

const makePostureChecks = async (create: Create): Promise<void> => {
  const path = '/usr/bin/agent';
  const checks = [
    { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }] },
    { typeId: 'MAC', macAddresses: ['00:11:22:33:44:55'] },
    { typeId: 'DOMAIN', domains: ['example.com'] },
    { typeId: 'MFA', timeoutSeconds: 600, promptOnWake: true, promptOnUnlock: false },
    { typeId: 'PROCESS', process: { osType: 'Linux', path, hashes: ['ab'.repeat(32)] } },
    { typeId: 'PROCESS_MULTI', semantic: 'AnyOf', processes: [{ osType: 'Linux', path, hashes: [], signerFingerprints: [] }] },
  ];
  for (const check of checks) await create('posture-checks', { name: `a check of ${check.typeId}`, roleAttributes: ['strict'], ...check });
};

const makeUsers = async ({ ask, manage }: Trial, create: Create): Promise<Record<string, string>> => {
  const passwords: Record<string, string> = {};
  for (const name of ['alice', 'bert', 'maria', 'disabled', 'disabled-for-an-hour']) {
    const id = await create('identities', { name, type: 'Default', isAdmin: false, enrollment: { updb: name } });
    const { data } = await expected(manage(`management/v1/identities/${id}`));
    const body = { username: name, password: (passwords[name] = `password-of-${name}`) };
    await expected(ask(`client/v1/enroll/updb?token=${data.enrollment.updb.token}`, { body }));
    const durationMinutes = { disabled: 0, 'disabled-for-an-hour': 60 }[name];
    if (durationMinutes !== undefined) await expected(manage(`management/v1/identities/${id}/disable`, { body: { durationMinutes } }));
  }
  return passwords;
};

const makeMfa = async ({ ask }: Trial): Promise<Remembered['mfa']> => {
  const session = await login(ask, 'maria', 'password-of-maria');
  await expected(ask('client/v1/current-identity/mfa', { method: 'POST', session }));
  const { data } = await expected(ask('client/v1/current-identity/mfa', { session }));
  const secret = new URL(data.provisioningUrl).searchParams.get('secret') ?? '';
  const [usedCode = '', unusedCode = ''] = data.recoveryCodes;
  await expected(ask('client/v1/current-identity/mfa/verify', { session, body: { code: codeOf(secret) } }));
  await expected(ask('client/v1/authenticate/mfa', { session: await login(ask, 'maria', 'password-of-maria'), body: { code: usedCode } }));
  return { secret, usedCode, unusedCode };
};

const makeAuthorities = async (trial: Trial, create: Create): Promise<Remembered['unverifiedCa']> => {
  const isAllowed = { isAuthEnabled: true, isOttCaEnrollmentEnabled: true, isAutoCaEnrollmentEnabled: true, identityRoles: ['clients'] };
  const make = async (name: string) => {
    const id = await create('cas', { name, certPem: await makeAuthority(trial, name), ...isAllowed });
    const { data } = await expected(trial.manage(`management/v1/cas/${id}`));
    return { id, token: data.verificationToken };
  };
  const { id, token } = await make('company');
  await expected(trial.manage(`management/v1/cas/${id}/verify`, { body: await issue(trial, 'company', 'company-proof', token) }));
  await create('identities', { name: 'employee', type: 'Default', isAdmin: false, enrollment: { ottca: id } });
  await writeJwt(trial, 'identities', 'employee');
  await writeJwtOfAnyone(trial);
  return make('partner');
};

/** Writes the JWT with which bearers of a certificate of the company enroll. */
export const writeJwtOfAnyone = async ({ folder, manage }: Trial): Promise<void> => {
  const company = (await listed(manage, 'cas')).find(({ name }) => name === 'company');
  writeFileSync(join(folder, 'anyone.jwt'), (await expected(manage(`management/v1/cas/${company?.id}/jwt`))).text);
};

const makeOpenEnrollments = async (trial: Trial, create: Create): Promise<string> => {
  const identity = (name: string, enrollment?: object) => create('identities', { name, type: 'Default', isAdmin: false, enrollment });
  await identity('later', { ott: true });
  await writeJwt(trial, 'identities', 'later');
  const late = await identity('too-late');
  const expiresAt = new Date(Date.now() + 3000).toISOString();
  await create('enrollments', { method: 'ott', identityId: late, expiresAt });
  await writeJwt(trial, 'identities', 'too-late');
  await create('edge-routers', { name: 'oslo', roleAttributes: ['public'] });
  await writeJwt(trial, 'edge-routers', 'oslo');
  await create('transit-routers', { name: 'transit' });
  await writeJwt(trial, 'transit-routers', 'transit');
  const user = await identity('later-user', { updb: 'later-user' });
  return (await expected(trial.manage(`management/v1/identities/${user}`))).data.enrollment.updb.token;
};
