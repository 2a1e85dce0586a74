import assert from 'node:assert/strict';
import { test } from 'node:test';
import { socketTimeoutOf } from '../../server/listen.ts';
import { readOptions } from '../../server/options.ts';
import { isServerUnverified, parseStorage } from '../../server/storage-option.ts';

const read = (line: string, environment = {}) => readOptions(line.split(' ').filter(Boolean), environment);

test('without options the server listens at home, with SQLite and its own certificates', () => {
  assert.deepEqual(read(''), {
    host: '127.0.0.1',
    port: 1280,
    storage: { is: 'sqlite', file: 'data/controller.db' },
    tls: { is: 'auto' },
    oidc: true,
    console: true,
    routers: true,
    drainMs: 10_000,
    administrator: {},
    administratorOptions: [],
    settings: {},
  });
});

test('every option is taken, with a space or an equals sign', () => {
  assert.deepEqual(
    read(
      '--host=::1 --port 443 --storage memory --admin-username=carol --admin-password=-secret --tls cert.pem,key.pem --secret-key-file key --drain 3600 --oidc off --routers off --max-concurrent 50 --max-connections 2000',
    ),
    {
      host: '::1',
      port: 443,
      storage: { is: 'memory' },
      secretKeyFile: 'key',
      drainMs: 3_600_000,
      maxConcurrent: 50,
      maxConnections: 2000,
      tls: { is: 'files', cert: 'cert.pem', key: 'key.pem' },
      oidc: false,
      console: false,
      routers: false,
      administrator: { username: 'carol', password: '-secret' },
      administratorOptions: ['--admin-username', '--admin-password'],
      settings: {},
    },
  );
});

for (const url of [
  'postgres://db/overlay',
  'postgres://db/overlay?schema=app3',
  'postgresql://ann:a%2Fb@one:5432,two:5433/overlay',
  'postgres://ann:secret@one,two,[::1]:5433/overlay?target_session_attrs=any',
  'postgres://db/overlay?sslmode=verify-full&sslrootcert=/etc/ca.pem',
  'postgres:///overlay?host=/var/run/postgresql',
  'postgres:///overlay?host=one,two&port=5432,5433',
])
  test(`taken as a database: ${url}`, () => assert.deepEqual(read(`--storage ${url}`)?.storage, { is: 'postgres', url }));

test('a database whose server is not verified is recognised', () => {
  const isUnverified = (parameters: string) => isServerUnverified(parseStorage(`postgres://db/overlay?${parameters}`));
  for (const parameters of ['sslmode=require', 'schema=a&sslmode=prefer', 'sslmode=no-verify'])
    assert.ok(isUnverified(parameters), parameters);
  for (const parameters of ['', 'sslmode=verify-full', 'sslmode=disable', 'sslmode=require&sslrootcert=/etc/ca.pem'])
    assert.ok(!isUnverified(parameters), parameters);
});

test('a connection without traffic stays open longer than any request', () => {
  assert.deepEqual([10_000, 100_000, 600_000].map(socketTimeoutOf), [100_000, 105_000, 605_000]);
});

test('snapshots may have a folder of their own', () => {
  assert.equal(read('--snapshots /backups')?.snapshots, '/backups');
});

test('what is seen of the server is chosen by options', () => {
  assert.deepEqual(read('--metrics 9464')?.metrics, { host: '127.0.0.1', port: 9464 });
  assert.deepEqual(read('--metrics 0.0.0.0:0')?.metrics, { host: '0.0.0.0', port: 0 });
  assert.deepEqual(read('--metrics [::1]:9464')?.metrics, { host: '::1', port: 9464 });
  assert.equal(read('--metrics-routers 100')?.metricsRouters, 100);
  assert.deepEqual(read('--metrics-hosts Controller,[::1],*')?.metricsHosts, ['controller', '::1', '*']);
  assert.equal(read('--health')?.health, true);
  assert.equal(read('--log text')?.log, 'text');
  assert.deepEqual(read('--spa /zac=dist/console --spa=/other_one=/srv/a=b')?.applications, [
    { path: '/zac', folder: 'dist/console' },
    { path: '/other_one', folder: '/srv/a=b' },
  ]);
});

test('proxies are trusted by address, each with the headers that it sets', () => {
  assert.deepEqual(
    read('--trusted-proxy 127.0.0.1 --trusted-proxy 10.2.0.0/16,fd00::/8,Client-Cert,X-Chain --trusted-proxy=::1,x-real-ip,x-cert')
      ?.trustedProxies,
    [
      { from: ['127.0.0.1'], addressHeader: 'x-forwarded-for', certificateHeader: false },
      { from: ['10.2.0.0/16', 'fd00::/8'], addressHeader: 'x-forwarded-for', certificateHeader: 'client-cert', chainHeader: 'x-chain' },
      { from: ['::1'], addressHeader: 'x-real-ip', certificateHeader: 'x-cert' },
    ],
  );
});

test('the addresses of key sets are shown where an option says so', () => {
  assert.equal(read('--show-jwks-endpoints --port 0')?.settings.showJwksEndpoints, true);
  assert.equal(read('')?.settings.showJwksEndpoints, undefined);
});

test('the address that clients are given has no slash at its end, and no common port', () => {
  const taken = {
    'https://overlay.example.com': 'https://overlay.example.com',
    'https://Overlay.example.com:443/': 'https://overlay.example.com',
    'https://10.0.0.7:1280': 'https://10.0.0.7:1280',
    'https://[fd00::1]:1280': 'https://[fd00::1]:1280',
    'http://overlay.example.com:80': 'http://overlay.example.com',
    'https://gw.example.com/net/': 'https://gw.example.com/net',
    'https://gw.example.com:8443/a/b-c': 'https://gw.example.com:8443/a/b-c',
  };
  for (const [given, address] of Object.entries(taken)) assert.equal(read(`--address ${given}`)?.address, address);
});

test('the secret key is in the environment, or in a file, which takes precedence', () => {
  assert.deepEqual(read('--secret-key-file file', { SECRET_KEY: 'key' })?.secretKeyFile, 'file');
  assert.equal(read('--secret-key-file file', { SECRET_KEY: 'key' })?.secretKey, undefined);
  assert.equal(read('', { SECRET_KEY: 'key' })?.secretKey, 'key');
  assert.equal(read('', { SECRET_KEY: '' })?.secretKey, undefined);
});

test('the password may be in the environment, and an option takes precedence', () => {
  assert.deepEqual(read('', { ADMIN_PASSWORD: 'hidden' })?.administrator, { password: 'hidden' });
  assert.deepEqual(read('', { ADMIN_PASSWORD: 'hidden' })?.administratorOptions, ['ADMIN_PASSWORD']);
  assert.deepEqual(read('--admin-password shown', { ADMIN_PASSWORD: 'hidden' })?.administrator, { password: 'shown' });
  assert.deepEqual(read('', { ADMIN_PASSWORD: '' })?.administrator, {});
});

test('help does not give a set of options', () => {
  assert.equal(read('--help'), undefined);
  assert.equal(read('-h'), undefined);
});

const refusals: readonly (readonly [line: string, sentence: RegExp])[] = [
  ['start', /^unexpected argument 'start'; see --help$/],
  ['--verbose', /^unknown option --verbose; see --help$/],
  ['-x', /^unknown option -x; see --help$/],
  ['--console no', /^--console must be on or off, got 'no'$/],
  ['--oidc off --console on', /^--console on needs --oidc on, because users log in to the console through the OpenID provider$/],
  ['--oidc no', /^--oidc must be on or off, got 'no'$/],
  ['--routers no', /^--routers must be on or off, got 'no'$/],
  ['--show-jwks-endpoints=yes', /^option --show-jwks-endpoints takes no value; see --help$/],
  ['--show-jwks-endpoints yes', /^unexpected argument 'yes'; see --help$/],
  ['--host', /^option --host needs a value; see --help$/],
  ['--host --port 80', /^option --host needs a value; see --help$/],
  ['--host=', /^--host must be a host name or an IP address, got ''$/],
  ['--host a_b', /got 'a_b'$/],
  ['--host 1.2.3', /got '1\.2\.3'$/],
  ['--host 127.0.0.1:80', /got '127\.0\.0\.1:80'$/],
  ['--port 65536', /^--port must be a number from 0 to 65535, got '65536'$/],
  ['--port https', /got 'https'$/],
  ...[
    'overlay.example.com',
    '//x',
    'ftp://x',
    'https://',
    'https://x//overlay',
    'https://x/a?b',
    'https://x?',
    'https://x#',
    'https://a:secret@x',
    'https://a_b',
    'x:1',
  ].map(
    (address) =>
      [
        `--address ${address}`,
        /^--address must be an address such as https:\/\/overlay\.example\.com, https:\/\/10\.0\.0\.7:1280, or https:\/\/gateway\.example\.com\/overlay$/,
      ] as const,
  ),
  ['--drain 3601', /^--drain must be a number of seconds from 0 to 3600, got '3601'$/],
  ['--drain -1', /^option --drain needs a value; see --help$/],
  ['--drain=-1', /got '-1'$/],
  ['--drain soon', /got 'soon'$/],
  ['--max-concurrent 0', /^--max-concurrent must be a number from 1 to 999999999, got '0'$/],
  ['--max-connections soon', /got 'soon'$/],
  ['--secret-key-file', /^option --secret-key-file needs a value; see --help$/],
  ['--storage files', /^--storage must be memory, sqlite:FILE, such as sqlite:data\/controller\.db, or postgres:.*, got 'files'$/],
  ['--storage sqlite:', /got 'sqlite:'$/],
  ['--storage sqlite::memory:', /got 'sqlite::memory:'$/],
  ...[
    'ann:secret@db',
    'ann:secret@db/',
    'ann:secret@/db',
    'one,two',
    'one,,two/db',
    'one,/db',
    'one:5432,two:65536/db',
    'one,two:x/db',
    'db/a/b',
    // A slash in the password, which would otherwise be shown as the name of the database.
    'ann:123/secret@db',
  ].map((rest) => [`--storage postgres://${rest}`, /^--storage must name a database, as in postgres:\/\/[A-Z:@/]+$/] as const),
  ...['0.0.0.0/0', '10.0.0.7,::/0', '128.0.0.0/1,client-cert', '::ffff:0:0/96'].map(
    (proxy) =>
      [
        `--trusted-proxy ${proxy}`,
        /^--trusted-proxy must contain only proxies, but '[^']+' would trust all clients: give ranges of /,
      ] as const,
  ),
  ...['nginx', 'client-cert', '*', '10.0.0.7,a b', '10.0.0.7,', '10.0.0.7,a,b,c', '10.0.0.7,x-real-ip,x-forwarded-for'].map(
    (proxy) =>
      [`--trusted-proxy=${proxy.replace(' ', '\t')}`, /^--trusted-proxy must be addresses or ranges, and headers with .*, got '/] as const,
  ),
  ['--trusted-proxy 10.0.0.0/33', /^--trusted-proxy must contain addresses and ranges like 10\.2\.0\.0\/16, got '10\.0\.0\.0\/33'$/],
  ['--metrics-hosts a_b', /^--metrics-hosts must be host names or IP addresses, separated by commas, or \*, got 'a_b'$/],
  ['--metrics-hosts=', /got ''$/],
  ['--metrics-routers 10001', /^--metrics-routers must be a number from 1 to 10000, got '10001'$/],
  ['--health=yes', /^option --health takes no value; see --help$/],
  ['--log loud', /^--log must be json or text, got 'loud'$/],
  ...['x', '65536', '0.0.0.0:', ':9464', 'a_b:1'].map(
    (place) =>
      [`--metrics ${place}`, /^--metrics must be a port from 0 to 65535, or HOST:PORT, such as 9464 or 0\.0\.0\.0:9464, got '/] as const,
  ),
  ...['zac=dist', '/zac', '/zac=', '/=dist', '/a/b=dist', '/../zac=dist', '/.git=dist'].map(
    (spa) => [`--spa ${spa}`, /^--spa must be \/PATH=FOLDER, such as \/zac=dist\/console, got '/] as const,
  ),
  ...['edge', 'fabric', 'oidc', 'health', 'ready', 'console'].map(
    (own) =>
      [
        `--spa /${own}=dist`,
        new RegExp(`^--spa cannot serve an application at /${own}, which is the server's own: choose another path$`),
      ] as const,
  ),
  ['--spa /zac=a --spa /zac=b', /^--spa was given two applications at \/zac$/],
  ['--tls on', /^--tls must be auto, off, or the PEM files of a certificate and its key as CERT,KEY, got 'on'$/],
  ['--tls cert.pem,', /got 'cert\.pem,'$/],
  ['--tls a,b,c', /got 'a,b,c'$/],
];
for (const [line, sentence] of refusals) {
  test(`refused: ${line}`, () => assert.throws(() => read(line), { name: 'StartFailure', message: sentence }));
}
