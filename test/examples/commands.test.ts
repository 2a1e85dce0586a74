import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { overview, runCommand } from '../../server/commands/index.ts';
import { newSecretKey } from '../../src/index.ts';
import { totp } from '../support/mfa.ts';
import { type Ended, type Running, runServer, startServer, temporaryFolder } from './child.ts';

const PASSWORD = 'the-admin-password';

const refused = ({ code, out, err }: Ended, sentence: RegExp): void => {
  assert.match(err, sentence);
  assert.equal(err.trim().split('\n').length, 1, err);
  assert.deepEqual({ code, out }, { code: 1, out: '' });
};
/** @returns what it printed */
const done = ({ code, out, err }: Ended): string => {
  assert.deepEqual([code, err], [0, '']);
  return out;
};

/** A folder with a network of which no server runs. */
const network = async (t: TestContext): Promise<string> => {
  const folder = temporaryFolder(t);
  done(await runServer(folder, ['create-admin'], { ADMIN_PASSWORD: PASSWORD }));
  return folder;
};
const login = async (server: Running, username: string, password: string) =>
  (await server.request('POST', '/authenticate?method=password', { body: { username, password } })).status;

test('the help lists the commands, and that of each its options', async () => {
  const commands = {
    adopt: ['--config', '--database', '--signer', '--roots', '--server', '--address', '--plan', '--allow'],
    migrate: ['--plan', '--sql', '--apply'],
    'create-admin': ['--username', 'ADMIN_PASSWORD'],
    'reset-password': ['--username', '--enable', '--end-mfa', 'NEW_PASSWORD'],
    snapshot: ['--snapshots'],
    restore: ['--snapshot', '--backup-key-file'],
    backup: ['--backup-folder', '--backup-recipient', '--verify'],
    inspect: ['--list', '--filter', '--limit'],
    reseal: ['--new-secret-key-file', 'NEW_SECRET_KEY'],
    export: ['--url', '--select', '--owner', '--format', 'API_TOKEN'],
    plan: ['--url', '--document', '--prune', '--out'],
    apply: ['--url', '--document', '--prune', '--plan', '--max-lost', '--reason'],
  };
  for (const [name, options] of Object.entries(commands)) {
    assert.match(overview(), new RegExp(`^  ${name} `, 'm'));
    const { text: help } = await runCommand(name, ['--help'], {});
    for (const option of ['--storage', ...options]) assert.ok(help.includes(option), `${name} ${option}`);
  }
});

test('a document is applied for a reason, unless it takes away more access than its author expects', async (t) => {
  const folder = await network(t);
  const apply = (identityRoles: readonly string[], ...options: readonly string[]) => {
    const dial = { name: 'dial', type: 'Dial', semantic: 'AnyOf', identityRoles, serviceRoles: ['@wiki'] };
    const services = [{ name: 'wiki', encryptionRequired: true }];
    writeFileSync(join(folder, 'network.json'), JSON.stringify({ identities: [{ name: 'ann' }], services, servicePolicies: [dial] }));
    return runServer(folder, ['apply', '--document', 'network.json', ...options]);
  };
  done(await apply(['@ann'], '--max-lost', '0', '--reason', 'für Ann'));
  refused(await apply([], '--max-lost', '0'), /lose/i);
  refused(await apply([], '--max-lost', 'none'), /--max-lost must be a whole number from 0, got 'none'/);
  refused(await apply([], '--reason', ''), /reason/);
  assert.match(done(await apply([], '--max-lost', '1')), /^applied 1 operations/);
});

test('what means nothing is refused with what would be right', async (t) => {
  const folder = temporaryFolder(t);
  const ofCommand = (line: string, sentence: RegExp) =>
    assert.rejects(runCommand(line.split(' ')[0] ?? '', line.split(' ').slice(1), { NEW_PASSWORD: PASSWORD }), {
      name: 'StartFailure',
      message: sentence,
    });
  await ofCommand('start', /^unknown command 'start'; the commands are migrate, .*; see --help$/);
  await ofCommand('inspect --verbose', /^unknown option --verbose; see --help$/);
  await ofCommand('inspect identity', /^unexpected argument 'identity'; see --help$/);
  await ofCommand('migrate', /^migrate needs one of --plan, --sql and --apply/);
  await ofCommand('migrate --plan --apply', /^migrate needs one of --plan, --sql and --apply/);
  await ofCommand('plan', /^give the document with --document FILE/);
  await ofCommand('plan --document none.yaml', /^cannot read none\.yaml: there is no such file/);
  await ofCommand('apply --plan a --document b', /^give either --plan FILE, or a document with --document FILE/);
  await ofCommand('export --url https://127.0.0.1:1', /^--url needs an API token in the variable API_TOKEN/);
  await ofCommand('export --format xml --url', /^option --url needs a value/);
  await ofCommand('restore', /^restore needs --snapshot FILE/);
  await ofCommand('restore --snapshot none.ndjson', /^cannot read the snapshot none\.ndjson: there is no such file/);
  await ofCommand('snapshot --storage memory', /^--storage must name a database: /);
  for (const name of ['inspect', 'snapshot', 'reset-password', 'reseal', 'migrate --plan'])
    await ofCommand(`${name} --storage sqlite:${join(folder, 'none.db')}`, /^the database \S+none\.db does not exist$/);
  assert.deepEqual(readdirSync(folder), [], 'none was made by looking for it');
});

test('the first administrator is made before a server is started, by a password that nobody sees', async (t) => {
  const folder = temporaryFolder(t);
  refused(await runServer(folder, ['create-admin']), /^error: no password was given: set ADMIN_PASSWORD/m);
  refused(
    await runServer(folder, ['create-admin'], {}, 'four\n'),
    /^error: the password of the first administrator must have 5 to 100 characters$/m,
  );
  const made = done(await runServer(folder, ['create-admin', '--username', 'carol', '--name', 'Carol C.'], {}, `${PASSWORD}\nmore\n`));
  assert.match(
    made,
    /^created the administrator carol in sqlite:data\/controller\.db; the secret key of the network is in data\/secret\.key$/m,
  );
  assert.ok(!made.includes(PASSWORD) && !made.includes(readFileSync(join(folder, 'data/secret.key'), 'utf8').trim()));
  refused(await runServer(folder, ['create-admin'], { ADMIN_PASSWORD: PASSWORD }), /^error: the network .* already has its administrator/m);
  const server = await startServer(t, folder);
  assert.equal(server.told('password'), undefined);
  assert.deepEqual([await login(server, 'carol', PASSWORD), await login(server, 'admin', PASSWORD)], [200, 401]);
});

test('a lost password is replaced while the server runs, and the sessions of before end', async (t) => {
  const folder = await network(t);
  const server = await startServer(t, folder);
  const token = await server.login(PASSWORD);
  const said = done(await runServer(folder, ['reset-password'], { NEW_PASSWORD: 'a-new-password' }));
  assert.equal(said, 'admin of sqlite:data/controller.db has the new password, and its API sessions have ended\n');
  assert.equal((await server.request('GET', '/identities', { token })).status, 401);
  assert.deepEqual([await login(server, 'admin', PASSWORD), await login(server, 'admin', 'a-new-password')], [401, 200]);
  refused(
    await runServer(folder, ['reset-password', '--username', 'nobody "x"'], { NEW_PASSWORD: PASSWORD }),
    /^error: there is no user nobody "x"$/m,
  );
  refused(await runServer(folder, ['reset-password'], { NEW_PASSWORD: 'four' }), /^error: .*password.*5/m);
});

test('so is that of any other user, with what else keeps them out', async (t) => {
  const folder = await network(t);
  const server = await startServer(t, folder);
  const token = await server.login(PASSWORD);
  const create = async (path: string, body: unknown) => (await server.request('POST', path, { token, body })).body.data.id;
  const id = await create('/identities', { name: 'ann', type: 'User', isAdmin: false });
  await create('/authenticators', { identityId: id, method: 'updb', username: 'ann-sales', password: PASSWORD });
  const own = (await server.request('POST', '/authenticate?method=password', { body: { username: 'ann-sales', password: PASSWORD } })).body
    .data.token;
  await server.request('POST', '/current-identity/mfa', { token: own });
  const { provisioningUrl } = (await server.request('GET', '/current-identity/mfa', { token: own })).body.data;
  const code = totp(new URL(provisioningUrl).searchParams.get('secret') ?? '', Date.now());
  assert.equal((await server.request('POST', '/current-identity/mfa/verify', { token: own, body: { code } })).status, 200);
  await server.request('POST', `/identities/${id}/disable`, { token, body: { durationMinutes: 0 } });

  const reset = (...options: readonly string[]) =>
    runServer(folder, ['reset-password', '--username', 'ann-sales', ...options], {}, 'a-new-password');
  assert.match(done(await reset()), /^note: the identity ann is disabled.*see --enable\nnote: .*second factor: see --end-mfa$/m);
  assert.equal(await login(server, 'ann-sales', 'a-new-password'), 401);
  assert.doesNotMatch(done(await reset('--enable', '--end-mfa')), /note/);
  const { body } = await server.request('POST', '/authenticate?method=password', {
    body: { username: 'ann-sales', password: 'a-new-password' },
  });
  assert.deepEqual([body.data.identity.name, body.data.authQueries], ['ann', []]);
});

test('a snapshot is taken and the database looked into while the server runs; the snapshot restores', async (t) => {
  const folder = await network(t);
  const server = await startServer(t, folder);
  const token = await server.login(PASSWORD);
  await server.request('POST', '/identities', { token, body: { name: 'ann', type: 'User', isAdmin: false } });
  const overview = done(await runServer(folder, ['inspect']));
  assert.match(overview, /^schema version +\d+$/m);
  assert.match(overview, /^migrated +20\S+ \S+ by overlay-controller \d/m);
  assert.match(overview, /^identity +2$/m);
  const list = (...options: readonly string[]) => runServer(folder, ['inspect', '--list', ...options]);
  const names = (said: string) =>
    said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).name);
  assert.deepEqual(names(done(await list('identity', '--filter', 'isAdmin = false'))), ['ann']);
  assert.deepEqual(names(done(await list('identity', '--filter', 'true sort by name desc', '--limit', '1'))), ['ann']);
  assert.ok(!done(await list('authenticator')).includes('argon2'));
  refused(await list('identities'), /^error: there is no kind 'identities', but /m);
  refused(await list('identity', '--filter', 'colour = 1'), /^error: .*'colour' is unknown here/m);
  refused(await list('identity', '--limit', '501'), /^error: --limit must be 1 to 500, or all, got '501'$/m);
  const said = done(await runServer(folder, ['snapshot']));
  const [file = ''] = /\S+\.ndjson$/m.exec(said) ?? [];
  await server.stop();

  const restore = (...more: readonly string[]) =>
    runServer(folder, ['restore', '--snapshot', file, '--storage', 'sqlite:other/controller.db', ...more]);
  const path = join(folder, file);
  const sound = readFileSync(path, 'utf8');
  writeFileSync(path, sound.replace('"isAdmin":true', '"isAdmin":"yes"'));
  refused(await restore(), /^error: the snapshot is refused, line \d+: isAdmin must be of type boolean, got string$/m);
  writeFileSync(path, sound);
  writeFileSync(join(folder, 'another.key'), newSecretKey());
  refused(await restore('--secret-key-file', 'another.key'), /^error: .* line \d+: sealed cannot be unsealed with the secretKey given/m);
  refused(await restore('--secret-key-file', 'none.key'), /^error: cannot read none\.key: there is no such file/m);
  assert.match(
    done(await restore('--secret-key-file', 'data/secret.key')),
    /^restored \d+ rows from the snapshot of 20\S+, revision \d+, into sqlite:other\/controller\.db$/m,
  );
  refused(await restore(), /^error: a snapshot is restored into an empty store only/m);
  const restored = await startServer(t, folder, ['--storage', 'sqlite:other/controller.db', '--secret-key-file', 'data/secret.key']);
  assert.equal((await restored.request('GET', '/current-identity', { token })).status, 200);
});

test('the secret key is replaced with servers that have both, and from then on the new one is all there is', async (t) => {
  const folder = await network(t);
  refused(await runServer(folder, ['reseal']), /^error: reseal needs a new key: give --new-secret-key-file FILE, or NEW_SECRET_KEY/m);
  const [file, next] = [join(folder, 'data/secret.key'), join(folder, 'next.key')];
  const old = readFileSync(file, 'utf8');
  writeFileSync(next, `${newSecretKey()}\n`);
  writeFileSync(file, readFileSync(next, 'utf8') + old);
  const server = await startServer(t, folder);
  const token = await server.login(PASSWORD);
  const enroll = async (name: string) => {
    const { id } = (
      await server.request('POST', '/identities', { token, body: { name, type: 'Device', isAdmin: false, enrollment: { ott: true } } })
    ).body.data;
    return (await server.request('GET', `/identities/${id}`, { token })).body.data.enrollment.ott.jwt;
  };
  const jwt = await enroll('one');
  const reseal = () => runServer(folder, ['reseal', '--new-secret-key-file', 'next.key']);
  assert.match(
    done(await reseal()),
    /^resealed the secrets of \d+ entities .*opens with the key in next\.key alone: move it to data\/secret\.key$/m,
  );
  assert.match(done(await reseal()), /^resealed the secrets of 0 entities /m);
  await enroll('two');
  await server.stop();

  writeFileSync(file, old);
  refused(await runServer(folder, ['--port', '0']), /^error: the secrets in this store were sealed under a different secretKey/m);
  writeFileSync(file, readFileSync(next, 'utf8'));
  const again = await startServer(t, folder);
  const listed = (await again.request('GET', '/enrollments', { token })).body.data;
  assert.ok(listed.some((enrollment: { jwt: string }) => enrollment.jwt === jwt));
  assert.equal(listed.length, 2);
});
