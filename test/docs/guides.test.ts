import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { startServer, temporaryFolder } from '../examples/child.ts';
import { SECRET_KEY } from '../support/app.ts';
import { newSchema, postgresUrl, withoutPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { commands } from './commands.ts';
import { blocks, documents, read, running } from './documents.ts';

/** What a guide says that its code prints: `console.log(x); // the text`, or `// prints: the text` in a line of its own. */
const promised = (code: string): readonly string[] =>
  [...code.matchAll(/(?:console\.log\(.*\);? \/\/ |^\/\/ prints: )(.+)$/gm)].map(([, said = '']) => said);

/** Their code is several files: `next.test.ts` and `worker.test.ts` run them. */
const OF_FILES = ['docs/guides/next.md', 'docs/guides/worker.md'];

describe('the code of a guide runs, from top to bottom as one program, and prints what it says', () => {
  for (const file of documents.filter((name) => name.startsWith('docs/guides/'))) {
    const code = blocks(file, 'ts').join('\n');
    // Where there is a server, only the code that wants one is of interest: the rest is run without.
    if (code === '' || OF_FILES.includes(file) || (postgresUrl && !code.includes('DATABASE_URL'))) continue;
    test(file, async (t) => {
      await using place = postgresUrl ? await newSchema() : undefined;
      const env = { ...process.env, ...(place ? { DATABASE_URL: place.connectionString } : {}) };
      // In a folder of its own, which it may fill.
      const said = execFileSync(process.execPath, running(code), { cwd: temporaryFolder(t), encoding: 'utf8', env });
      const lines = said.split('\n');
      for (const text of promised(code)) {
        const at = lines.indexOf(text);
        assert.notEqual(at, -1, `it does not print '${text}' where it says so, but: ${said}`);
        lines.splice(0, at + 1);
      }
    });
  }
});

test('the code of the device in the guide to enrolling is examples/enroll-device.ts', () => {
  assert.deepEqual(blocks('docs/guides/enrolling-a-device.md', 'typescript'), [read('examples/enroll-device.ts')]);
});

test('the commands of the guide to backups take a snapshot, and restore it into a server of its own', {
  skip: withoutPostgres.skip || (spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed'),
}, async (t) => {
  const folder = temporaryFolder(t);
  const [, calls = '', restoring = ''] = blocks('docs/guides/backup.md', 'sh');
  const server = await startServer(t, folder, [], { ADMIN_PASSWORD: 'a-good-password' });
  const token = await server.login('a-good-password');
  const api = `${server.url}/edge/management/v1`;
  const said = execFileSync('sh', ['-c', calls], { cwd: folder, encoding: 'utf8', env: { ...process.env, token, api, no_proxy: '*' } });
  const [taken, state, checked] = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).data);
  await server.stop();

  const [snapshot = ''] = readdirSync(join(folder, 'data/snapshots'));
  assert.deepEqual([taken, `${state.name}.ndjson`, checked], [{}, snapshot, {}]);
  const restore =
    restoring
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/\S+example\.ndjson/, `data/snapshots/${snapshot}`) ?? '';
  assert.match(
    commands(folder, restore),
    /^restored \d+ rows from the snapshot of 20\S+, revision \d+, into sqlite:restored\/controller\.db\n$/,
  );
  assert.throws(() => commands(folder, restore), /error: a snapshot is restored into an empty store only/);

  copyFileSync(join(folder, 'data/secret.key'), join(folder, 'restored/secret.key'));
  const restored = await startServer(t, folder, ['--storage', 'sqlite:restored/controller.db']);
  assert.equal((await restored.request('GET', '/current-identity', { token })).status, 200, 'the session of before goes on');
  await restored.login('a-good-password');
});

test(
  'the commands of the guide to backups let a server take encrypted ones, verify the latest, and restore it',
  withoutPostgres,
  async (t) => {
    const folder = temporaryFolder(t);
    const [scheduled = ''] = blocks('docs/guides/backup.md', 'sh');
    const [key = '', serve = '', verify = '', restore = ''] = scheduled.trim().split('\n');
    const [recipient = ''] = /age1\S+/.exec(commands(folder, key)) ?? [];
    const [, ...options] = serve.replace('npx ', '').replace('"$recipient"', recipient).split(' ');
    const server = await startServer(t, folder, options);
    await until(() => existsSync(join(folder, 'backups')) && readdirSync(join(folder, 'backups')).some((file) => file.endsWith('.age')));
    await server.stop();
    assert.match(commands(folder, verify), /^backups\/20\S+\.ndjson\.gz\.age is complete: \d+ rows of 20\S+, revision \d+\n$/);
    assert.match(
      commands(folder, restore),
      /^restored \d+ rows from the snapshot of 20\S+, revision \d+, into sqlite:restored\/controller\.db\n$/,
    );
  },
);

test('the requests of the guide to machine accounts need only an API token', {
  skip: withoutPostgres.skip || (spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed'),
}, async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServer(t, folder, ['--tls', 'off'], { ADMIN_PASSWORD: 'a-good-password' });
  const headers = { 'zt-session': await server.login('a-good-password'), 'content-type': 'application/json' };
  const post = async (path: string, body: object) =>
    JSON.parse(await (await fetch(`${server.url}/edge/management${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).text())
      .data;
  const rights = { permissions: ['service'], isAdmin: false };
  const { id: identityId } = await post('/v1/identities', { name: 'ci', type: 'Service', ...rights });
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const token = await post('/extensions/v1/api-tokens', { identityId, name: 'deployment', expiresAt, ...rights });
  const [calls = ''] = blocks('docs/guides/machine-accounts.md', 'sh');
  const env = { ...process.env, token: token.secret, api: `${server.url}/edge/management/v1`, no_proxy: '*' };
  const [before, created, session] = execFileSync('sh', ['-c', calls], { cwd: folder, encoding: 'utf8', env })
    .split(/(?<=\})(?=\{"data":)/)
    .map((answer) => JSON.parse(answer).data);
  assert.deepEqual([before.length, typeof created.id, session.identityId, session.token], [0, 'string', identityId, token.id]);
});

test(
  'the commands of the guide to the server make an administrator, replace passwords, look into the database, and copy it',
  withoutPostgres,
  (t) => {
    const folder = temporaryFolder(t);
    const [creating = '', resetting = '', inspecting = '', copying = ''] = blocks('docs/guides/server.md', 'sh');
    assert.match(commands(folder, creating), /^created the administrator carol in sqlite:data\/controller\.db; /);
    assert.equal(commands(folder, resetting).match(/^carol of .* has the new password, and its API sessions have ended$/gm)?.length, 2);
    const [overview, ...listed] = commands(folder, inspecting).split(/^(?=\{)/m);
    assert.match(overview ?? '', /^identity +1$/m);
    assert.equal(JSON.parse(listed[0] ?? '').name, 'Default Admin');
    assert.match(commands(folder, copying), /^took a snapshot of .*\nrestored \d+ rows from /);
  },
);

test('the commands of the guide to upgrading look at a database of an earlier release, and migrate it', withoutPostgres, (t) => {
  const upgraded = ([ahead, ...then]: readonly string[]) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, 'data'));
    const database = new DatabaseSync(join(folder, 'data/controller.db'));
    database.exec(read('test/adapters/kysely/releases/0.1.0.sql'));
    database.close();
    return [ahead, ...then].map((lines) => commands(folder, lines ?? '', { SECRET_KEY }));
  };
  const [looking = '', applying = '', printing = ''] = blocks('docs/guides/upgrading.md', 'sh');
  const [planned = '', applied = '', again = ''] = upgraded([looking, applying, looking]);
  assert.match(planned, /^took a snapshot of [\s\S]*^ {2}pending {2}3-built-in-rows: /m);
  assert.match(applied, /ran 3-built-in-rows/);
  assert.match(again, /^Nothing is pending\.$/m);
  const [, printed = ''] = upgraded([printing, 'cat migrations.sql']);
  assert.match(printed, /^-- 3: built-in-rows\n/);
});
