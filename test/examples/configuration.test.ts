import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readOptions } from '../../server/options.ts';
import type { ServerOptions } from '../../server/server-options.ts';
import { serverSettings } from '../../server/setting-options.ts';
import { defaultSettings, type Settings } from '../../src/call/settings.ts';
import { blocks } from '../docs/documents.ts';
import { runServer, startServer, temporaryFolder } from './child.ts';

const read = (line: string, environment = {}) => readOptions(line.split(' ').filter(Boolean), environment);

/** A configuration file. */
const fileWith = (t: TestContext, content: unknown): string => {
  const file = join(temporaryFolder(t), 'overlay.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

/** Another value than the default, as it stands in a file, and as a text. */
const samples: Readonly<Record<string, readonly [value: unknown, text: string]>> = Object.fromEntries(
  Object.entries(defaultSettings)
    .filter(([name]) => name !== 'address')
    .map(([name, usual]) => {
      if (typeof usual === 'number') return [name, [usual + 7, String(usual + 7)]];
      if (typeof usual === 'boolean') return [name, [!usual, String(!usual)]];
      if (name === 'corsOrigins') return [name, [['https://a.example', 'https://b.example'], 'https://a.example,https://b.example']];
      if (Array.isArray(usual)) return [name, [['10.0.0.0/8', '192.168.0.0/16'], '10.0.0.0/8,192.168.0.0/16']];
      return [name, ['1.7', '1.7']];
    }),
);
const optionOf = (name: string) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const variableOf = (name: string) => `OVERLAY_${optionOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`;

test('every setting of a controller is an option, a variable and a member of the file, by the same name', (t) => {
  for (const [name, [value, text]] of Object.entries(samples)) {
    const expected = { [name]: value };
    const option = typeof value === 'boolean' ? optionOf(name) : `${optionOf(name)}=${text}`;
    assert.deepEqual(read(option)?.settings, expected, option);
    assert.deepEqual(read('', { [variableOf(name)]: text })?.settings, expected, variableOf(name));
    assert.deepEqual(read(`--config ${fileWith(t, expected)}`)?.settings, expected, name);
  }
});

test('so is every option of the server', (t) => {
  const file = fileWith(t, {
    host: '::1',
    port: 8443,
    address: 'https://overlay.example.com',
    storage: 'memory',
    migrations: 'wait',
    dataFolder: '/srv/overlay',
    snapshots: 'backups',
    adminUsername: 'carol',
    adminPassword: 'a-good-password',
    tls: 'off',
    trustedProxy: ['10.0.0.7', '10.2.0.0/16,client-cert'],
    oidc: false,
    console: false,
    routers: 'off',
    secretKeyFile: 'key',
    metrics: 9464,
    metricsHosts: ['one', 'two'],
    health: true,
    log: 'json',
    spa: ['/zac=dist/console', '/other=dist/other'],
    maxConcurrent: 50,
    maxConnections: 2000,
    drain: 0,
  });
  const line = [
    '--host ::1 --port 8443 --address https://overlay.example.com --storage memory --migrations wait --data-folder /srv/overlay --snapshots backups --admin-username carol',
    '--admin-password a-good-password --tls off --trusted-proxy 10.0.0.7 --trusted-proxy 10.2.0.0/16,client-cert --oidc off --routers off --drain 0',
    '--max-concurrent 50 --max-connections 2000',
    '--secret-key-file key --metrics 9464 --metrics-hosts one,two --health --log json --spa /zac=dist/console --spa /other=dist/other',
  ].join(' ');
  const variables = {
    ...{ OVERLAY_HOST: '::1', OVERLAY_PORT: '8443', OVERLAY_ADDRESS: 'https://overlay.example.com', OVERLAY_STORAGE: 'memory' },
    ...{
      OVERLAY_MIGRATIONS: 'wait',
      OVERLAY_DATA_FOLDER: '/srv/overlay',
      OVERLAY_SNAPSHOTS: 'backups',
      OVERLAY_ADMIN_USERNAME: 'carol',
      OVERLAY_ADMIN_PASSWORD: 'a-good-password',
    },
    ...{ OVERLAY_TLS: 'off', OVERLAY_TRUSTED_PROXY: '10.0.0.7;10.2.0.0/16,client-cert', OVERLAY_OIDC: 'off', OVERLAY_ROUTERS: 'off' },
    ...{
      OVERLAY_SECRET_KEY_FILE: 'key',
      OVERLAY_METRICS: '9464',
      OVERLAY_METRICS_HOSTS: 'one,two',
      OVERLAY_HEALTH: 'true',
      OVERLAY_LOG: 'json',
    },
    ...{ OVERLAY_SPA: '/zac=dist/console;/other=dist/other', OVERLAY_DRAIN: '0' },
    ...{ OVERLAY_MAX_CONCURRENT: '50', OVERLAY_MAX_CONNECTIONS: '2000' },
  };
  const without = (options: ServerOptions | undefined) => ({ ...options, administratorOptions: [] });
  assert.deepEqual(without(read(`--config ${file}`)), without(read(line)));
  assert.deepEqual(without(read('', variables)), without(read(line)));
  assert.deepEqual(without(read('', { OVERLAY_CONFIG: file })), without(read(line)));
});

test('the command line takes precedence over the environment, and that over the file', (t) => {
  const file = fileWith(t, {
    port: 1,
    maxWrongCodes: 1,
    wrongCodeMinutes: 1,
    health: true,
    showJwksEndpoints: true,
    spa: ['/a=a', '/b=b'],
  });
  const environment = {
    OVERLAY_MAX_WRONG_CODES: '2',
    OVERLAY_WRONG_CODE_MINUTES: '2',
    OVERLAY_HEALTH: 'false',
    OVERLAY_SHOW_JWKS_ENDPOINTS: 'false',
  };
  const options = read(`--config ${file} --wrong-code-minutes 3 --spa /c=c`, environment);
  assert.deepEqual(options?.settings, { maxWrongCodes: 2, wrongCodeMinutes: 3, showJwksEndpoints: false });
  assert.deepEqual([options?.port, options?.health, options?.applications], [1, undefined, [{ path: '/c', folder: 'c' }]]);
  assert.equal(read('', { OVERLAY_PORT: '' })?.port, 1280, 'an empty variable is none');
  assert.deepEqual(read(`--config ${file}`, { ADMIN_PASSWORD: 'from-the-environment' })?.administratorOptions, ['ADMIN_PASSWORD']);
});

test('a variable may name a file that contains its value, as mounted secrets do', (t) => {
  const folder = temporaryFolder(t);
  const mounted = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const storage = mounted('storage', 'postgres://u:p@db/overlay\n');
  const options = read('', {
    OVERLAY_STORAGE_FILE: storage,
    ADMIN_PASSWORD_FILE: mounted('password', ' with spaces \r\n'),
    SECRET_KEY_FILE: mounted('key', 'one\ntwo\n'),
  });
  assert.deepEqual(options?.storage, { is: 'postgres', url: 'postgres://u:p@db/overlay' });
  assert.equal(options?.administrator.password, ' with spaces ');
  assert.equal(options?.secretKey, 'one\ntwo');
  assert.equal(read('', { OVERLAY_SECRET_KEY_FILE: 'key' })?.secretKeyFile, 'key', 'an option of its own');
  assert.throws(() => read('', { OVERLAY_STORAGE_FILE: storage, OVERLAY_STORAGE: 'memory' }), {
    message: 'the environment variables OVERLAY_STORAGE and OVERLAY_STORAGE_FILE set the same option: keep one of them',
  });
  assert.throws(
    () => read('', { ADMIN_PASSWORD_FILE: mounted('empty', '\n') }),
    /empty of the environment variable ADMIN_PASSWORD_FILE is empty$/,
  );
  assert.throws(() => read('', { SECRET_KEY_FILE: join(folder, 'none') }), /cannot read .*none: there is no such file or folder$/);
  assert.throws(() => read('', { OVERLAY_UNKNOWN_FILE: storage }), /unknown environment variable OVERLAY_UNKNOWN_FILE/);
});

test('the file in the guide is one', (t) => {
  const [example = ''] = blocks('docs/guides/server.md', 'json');
  assert.deepEqual(read(`--config ${fileWith(t, example)}`)?.settings, { sessionTimeoutMinutes: 15, outboundAllow: ['10.1.0.0/16'] });
});

test('variables that Kubernetes makes of a service called overlay do not count as options', () => {
  const links = {
    OVERLAY_PORT: 'tcp://10.0.0.1:1280',
    OVERLAY_SERVICE_HOST: '10.0.0.1',
    OVERLAY_SERVICE_PORT: '1280',
    OVERLAY_SERVICE_PORT_HTTPS: '1280',
    OVERLAY_PORT_1280_TCP: 'tcp://10.0.0.1:1280',
    OVERLAY_PORT_1280_TCP_ADDR: '10.0.0.1',
    OVERLAY_PORT_1280_TCP_PROTO: 'tcp',
  };
  assert.deepEqual(read('', links), read(''));
});

const refusals: readonly (readonly [content: unknown, sentence: RegExp])[] = [
  [{ sesionTimeoutMinutes: 1 }, /overlay\.json has an unknown member 'sesionTimeoutMinutes': did you mean sessionTimeoutMinutes\?$/],
  [{ 'max-body-bytes': 1 }, /unknown member 'max-body-bytes': did you mean maxBodyBytes\?$/],
  [{ config: 'other.json' }, /unknown member 'config'/],
  ['{"__proto__": {"port": 1}}', /unknown member '__proto__'/],
  [{ toString: 1 }, /unknown member 'toString'/],
  [{ sessionTimeoutMinutes: '30' }, /^sessionTimeoutMinutes in \S+overlay\.json must be a number, got '30'$/],
  [{ sessionTimeoutMinutes: 0 }, /^sessionTimeoutMinutes in \S+overlay\.json must be 1 or more, got 0$/],
  [{ sessionTimeoutMinutes: null }, /must be a number, got null$/],
  [{ showJwksEndpoints: 'yes' }, /^showJwksEndpoints in \S+ must be true or false, got 'yes'$/],
  [{ outboundAllow: 'loopback' }, /^outboundAllow in \S+ must be a list of texts, got 'loopback'$/],
  [{ outboundAllow: ['everything'] }, /^outboundAllow in \S+ must contain loopback, private, proxied, or ranges of addresses: /],
  [{ corsOrigins: 5 }, /^corsOrigins in \S+ must be '\*' or a list of texts, got 5$/],
  [{ port: true }, /^port in \S+overlay\.json must be a string or a number$/],
  [{ port: 'https' }, /^port in \S+overlay\.json must be a number from 0 to 65535, got 'https'$/],
  [{ health: 'true' }, /^health in \S+ must be true or false$/],
  [{ spa: { zac: 'dist' } }, /^spa in \S+ must be a string, or a list of strings$/],
  [{ trustedProxy: '0.0.0.0/0' }, /^trustedProxy in \S+ must contain only proxies, but '0\.0\.0\.0\/0' would trust all clients/],
  [[], /must contain a JSON object, such as \{"port": 1280\}$/],
  ['null', /must contain a JSON object/],
  ['{"port": 1280,}', /^\S+overlay\.json is not valid JSON/],
  ['', /^\S+overlay\.json is not valid JSON$/],
];
for (const [content, sentence] of refusals)
  test(`refused in a file: ${typeof content === 'string' ? content : JSON.stringify(content)}`, (t) => {
    assert.throws(() => read(`--config ${fileWith(t, content)}`), { name: 'StartFailure', message: sentence });
  });

test('refused in the environment and on the command line, too, each in its own words', () => {
  const cases: readonly (readonly [line: string, environment: Record<string, string>, sentence: RegExp])[] = [
    ['', { OVERLAY_PROT: '1' }, /^unknown environment variable OVERLAY_PROT: did you mean OVERLAY_PORT\?$/],
    // The prefix, which all have, makes no two of them alike.
    ['', { OVERLAY_MAXBODY: '1' }, /unknown environment variable OVERLAY_MAXBODY: did you mean OVERLAY_MAX_BODY_BYTES\?$/],
    ['', { OVERLAY_X: '1' }, /unknown environment variable OVERLAY_X; see --help$/],
    ['', { overlay_sesion_timeout_minutes: '1' }, /did you mean OVERLAY_SESSION_TIMEOUT_MINUTES\?$/],
    [
      '',
      { OVERLAY_PORT: '1', overlay_port: '2' },
      /^the environment variables OVERLAY_PORT and overlay_port set the same option: keep one of them$/,
    ],
    ['', { OVERLAY_PORT: 'x' }, /^OVERLAY_PORT must be a number from 0 to 65535, got 'x'$/],
    ['', { OVERLAY_HEALTH: 'yes' }, /^OVERLAY_HEALTH must be true or false, got 'yes'$/],
    ['', { OVERLAY_CHANGES_KEPT: 'many' }, /^OVERLAY_CHANGES_KEPT must be a number, got 'many'$/],
    ['--max-body-byte 1', {}, /^unknown option --max-body-byte: did you mean --max-body-bytes\?$/],
    ['--max-body-bytes 1e3', {}, /^--max-body-bytes must be a number, got '1e3'$/],
    ['--enrollment-minutes 4', {}, /^--enrollment-minutes must be 5 or more, got 4$/],
    ['--config missing.json', {}, /^cannot read missing\.json: there is no such file or folder$/],
    ['--config .', {}, /^cannot read \.: it is a folder, not a file$/],
  ];
  for (const [line, environment, sentence] of cases)
    assert.throws(() => read(line, environment), { name: 'StartFailure', message: sentence });
  assert.equal(read('--max-query-cost-of-sessions Infinity')?.settings.maxQueryCostOfSessions, Number.POSITIVE_INFINITY);
});

test('a file that is malformed is refused without a word of what is in it', (t) => {
  for (const content of ['{"adminPassword": "s3cret-word" "port": 1}', 's3cret-word', '{"adminPassword": s3cret-word}', '["s3cret-word"'])
    assert.throws(
      () => read(`--config ${fileWith(t, content)}`),
      ({ message }: Error) => !message.includes('s3cret'),
    );
  for (const content of [
    { adminPassword: ['s3cret-word'] },
    { adminPassword: { is: 's3cret-word' } },
    { storage: 'postgres://ann:s3cret-word' },
  ])
    assert.throws(
      () => read(`--config ${fileWith(t, content)}`),
      ({ message }: Error) => !message.includes('s3cret'),
    );
});

test('--print-config shows what holds and where it comes from, without secrets, and starts nothing', async (t) => {
  const file = fileWith(t, {
    storage: 'postgres://ann:s3cret-word@db/overlay?password=s3cret-word&schema=app3',
    sessionTimeoutMinutes: 15,
    outboundAllow: ['private'],
  });
  const args = ['--config', file, '--print-config', '--port', '8443', '--health', '--admin-password', 's3cret-word'];
  const environment = { OVERLAY_MAX_WRONG_CODES: '3', SECRET_KEY: 's3cret-word', OVERLAY_TRUSTED_PROXY: '10.0.0.7;10.0.0.8' };
  const { code, out, err } = await runServer(temporaryFolder(t), args, environment);
  assert.deepEqual([code, err, `${out}`.includes('s3cret')], [0, '', false]);
  const rows = Object.fromEntries(
    out
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
      .map(([name = '', ...rest]) => [name, rest]),
  );
  assert.deepEqual(
    Object.keys(rows)
      .filter((name) => name in defaultSettings)
      .sort(),
    Object.keys(defaultSettings).sort(),
  );
  for (const [name, row] of Object.entries({
    config: [file, '--config'],
    port: ['8443', '--port'],
    host: ['127.0.0.1', 'default'],
    address: ['https://127.0.0.1:8443', 'default'],
    storage: ['postgres://ann@db/overlay?schema=app3', `storage in ${file}`],
    health: ['true', '--health'],
    adminPassword: ['***', '--admin-password'],
    secretKey: ['***', 'SECRET_KEY'],
    trustedProxy: ['10.0.0.7 ; 10.0.0.8', 'OVERLAY_TRUSTED_PROXY'],
    sessionTimeoutMinutes: ['15', `sessionTimeoutMinutes in ${file}`],
    maxWrongCodes: ['3', 'OVERLAY_MAX_WRONG_CODES'],
    maxBodyBytes: ['1048576', 'default'],
    outboundAllow: ['private', `outboundAllow in ${file}`],
    metrics: ['-', 'default'],
    snapshots: ['data/snapshots', 'default'],
  }))
    assert.deepEqual(rows[name], row, name);
});

test('what is printed is what the server has, also where other options decide', async (t) => {
  const outboundAllow = async (...args: readonly string[]) => {
    const { out } = await runServer(temporaryFolder(t), ['--print-config', ...args]);
    const [, value] = /^outboundAllow +(\S+)/m.exec(out) ?? [];
    const { outboundAllow: used } = serverSettings(readOptions(args, {}) ?? assert.fail());
    assert.equal(value, used?.join() || '-');
    return value;
  };
  assert.equal(await outboundAllow(), 'loopback');
  for (const args of [
    ['--host', '0.0.0.0'],
    ['--host', '::'],
    ['--address', 'https://overlay.example.com'],
    ['--trusted-proxy', '127.0.0.1'],
  ])
    assert.equal(await outboundAllow(...args), '-', args.join());
  assert.equal(await outboundAllow('--host', '0.0.0.0', '--outbound-allow', 'loopback'), 'loopback');
});

test('a server works as its file says, and so do the commands beside it', async (t) => {
  const folder = temporaryFolder(t);
  const settings: Partial<Settings> = { maxBodyBytes: 2000, compat: '1.7' };
  const file = join(folder, 'overlay.json');
  writeFileSync(file, JSON.stringify({ storage: 'sqlite:own/x.db', adminPassword: 'a-good-password', tls: 'off', ...settings }));
  chmodSync(file, 0o600);
  const server = await startServer(t, folder, ['--config', 'overlay.json']);
  assert.equal((await server.request('GET', '/version')).body.data.version, 'v1.7.2');
  const token = await server.login('a-good-password');
  const body = { name: 'x'.repeat(3000), type: 'User', isAdmin: false };
  assert.equal((await server.request('POST', '/identities', { token, body })).status, 413);
  for (const [args, environment] of [
    [['--config', 'overlay.json'], {}],
    [[], { OVERLAY_CONFIG: 'overlay.json' }],
    [[], { OVERLAY_STORAGE: 'sqlite:own/x.db' }],
    [['--storage', 'sqlite:own/x.db'], { OVERLAY_STORAGE: 'sqlite:other.db' }],
  ] as const) {
    const { out, err } = await runServer(folder, ['inspect', ...args], environment);
    assert.match(out, /^database +sqlite:own\/x\.db$/m, err);
  }
  const { err } = await runServer(folder, ['inspect'], { OVERLAY_STORAGE: 'memory' });
  assert.match(err, /^error: OVERLAY_STORAGE must name a database: /);
});
