import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startServer, temporaryFolder } from '../examples/child.ts';
import { newSchema, postgresUrl } from '../support/postgres.ts';
import { blocks, documents, root, running } from './documents.ts';

/** What a guide says that its code prints: `console.log(x); // the text`, or `// prints: the text` in a line of its own. */
const promised = (code: string): readonly string[] =>
  [...code.matchAll(/(?:console\.log\(.*\);? \/\/ |^\/\/ prints: )(.+)$/gm)].map(([, said = '']) => said);

describe('the code of a guide runs, from top to bottom as one program, and prints what it says', () => {
  for (const file of documents.filter((name) => name.startsWith('docs/guides/'))) {
    const code = blocks(file, 'ts').join('\n');
    // Where there is a server, only the code that wants one is of interest: the rest is run without.
    if (code === '' || (postgresUrl && !code.includes('DATABASE_URL'))) continue;
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

test('the commands of the guide to backups take a snapshot, and restore it into a server of its own', {
  skip: spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed',
}, async (t) => {
  const folder = temporaryFolder(t);
  const [calls = '', restoring = ''] = blocks('docs/guides/backup.md', 'sh');
  const server = await startServer(t, folder, [], { ADMIN_PASSWORD: 'a-good-password' });
  const token = await server.login('a-good-password');
  const api = `${server.url}/edge/management/v1`;
  const said = execFileSync('sh', ['-c', calls], { cwd: folder, encoding: 'utf8', env: { ...process.env, token, api, no_proxy: '*' } });
  assert.deepEqual(
    said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data),
    [{}, {}],
  );
  await server.stop();

  const [snapshot = ''] = readdirSync(join(folder, 'data/snapshots'));
  const [program, script, ...args] = restoring
    .trim()
    .replace(/\S+example\.ndjson/, `data/snapshots/${snapshot}`)
    .split(' ')
    .slice(1);
  assert.deepEqual([program, script, args.shift()], ['run', 'restore', '--']);
  const restore = () => spawnSync(process.execPath, [join(root, 'scripts/restore.ts'), ...args], { cwd: folder, encoding: 'utf8' });
  const { stdout, stderr, status } = restore();
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^restored \d+ rows of 20\S+, revision \d+, into sqlite:restored\/controller\.db\n$/);
  const again = restore();
  assert.deepEqual([again.status, again.stdout], [1, '']);
  assert.match(again.stderr, /^error: a snapshot is restored into an empty store only/);

  copyFileSync(join(folder, 'data/secret.key'), join(folder, 'restored/secret.key'));
  const restored = await startServer(t, folder, ['--storage', 'sqlite:restored/controller.db']);
  assert.equal((await restored.request('GET', '/current-identity', { token })).status, 200, 'the session of before goes on');
  await restored.login('a-good-password');
});
