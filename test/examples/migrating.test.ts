import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { runCommand } from '../../server/commands/index.ts';
import { SECRET_KEY } from '../support/app.ts';
import { until } from '../support/until.ts';
import { freePort, launch, runServer, temporaryFolder } from './child.ts';

const PASSWORD = 'the-admin-password';

/** A folder with the database of an earlier release. */
const earlier = (t: TestContext) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'data'));
  const file = join(folder, 'data/controller.db');
  const execute = (sql: string) => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
  execute(readFileSync(new URL('../adapters/kysely/releases/0.1.0.sql', import.meta.url), 'utf8'));
  return {
    folder,
    execute,
    run: async (line: string) => {
      const { text } = await runCommand(line.split(' ')[0] ?? '', [...line.split(' ').slice(1), '--storage', `sqlite:${file}`], {
        SECRET_KEY,
        NEW_SECRET_KEY: SECRET_KEY,
      });
      return text;
    },
  };
};

test('the migrations that a database lacks are shown, printed for others to run, and known once they were run', async (t) => {
  const { run, execute } = earlier(t);
  const plan = await run('migrate --plan');
  assert.match(plan, /: schema version 2, and this release migrates to \d+\n {2}ran {6}1-initial, 20/);
  assert.match(plan, /^ {2}pending {2}3-built-in-rows: adds the kind builtInRow$/m);
  assert.match(
    plan,
    /^Servers with schema version \d+ or later keep working on the migrated database; writes of older ones are refused\.$/m,
  );
  const sql = await run('migrate --sql');
  assert.match(sql, /^-- 3: built-in-rows\n/);
  assert.doesNotMatch(sql, /create table (if not exists )?"overlay_service_policy"/i, 'nothing of what was run');
  assert.equal(await run('migrate --sql'), sql, 'nothing was changed');
  execute(`begin;\n${sql}\ncommit;`);
  assert.match(await run('migrate --plan'), /^Nothing is pending\.$/m);
  assert.equal(await run('migrate --sql'), '-- nothing is pending');
  assert.match(await run('migrate --apply'), /: nothing was pending; the schema version is \d+$/);
});

test('until the command migrate has run the migrations, only commands that read work on the database', async (t) => {
  const { run } = earlier(t);
  assert.match(await run('inspect'), /^schema version +2, and this release has \d+: see migrate --plan$/m);
  assert.match(await run('inspect --list identity'), /"name":"ann"/);
  assert.match(await run('snapshot'), /^took a snapshot of /);
  for (const line of ['reset-password', 'reseal', 'create-admin'])
    await assert.rejects(run(line), { name: 'StoreSchemaMismatch', message: /schema version 2, .*overlay-controller migrate --apply/ });
  assert.match(await run('migrate --apply'), /: ran 3-built-in-rows, .*; the schema version is \d+$/);
  assert.match(await run('migrate --apply'), /nothing was pending/);
  assert.match(await run('inspect'), /^schema version +\d+$/m);
});

test('a server that leaves migrations to others listens, says what it waits for, and begins once they were run', async (t) => {
  const { folder, run } = earlier(t);
  const port = String(await freePort());
  const options = ['--port', port, '--tls', 'off', '--health', '--migrations', 'wait'];
  const { child, said, ended } = launch(folder, options, { SECRET_KEY });
  t.after(() => child.kill('SIGKILL'));
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  await until(async () => (await ask('/health'))?.status === 200);
  const ready = await ask('/ready');
  assert.ok(ready);
  assert.equal(ready.status, 503);
  const { reasons } = (await ready.json()) as { reasons: { concerns: string; severity: string; message: string }[] };
  assert.deepEqual(
    reasons.map(({ concerns, severity }) => [concerns, severity]),
    [['migrations', 'error']],
  );
  assert.match(
    reasons[0]?.message ?? '',
    /^the database lacks the migrations 3-built-in-rows, .*: the controller opens once they have run$/,
  );
  const refused = await ask('/edge/management/v1/version');
  assert.deepEqual([refused?.status, refused?.headers.get('retry-after')], [503, '5']);
  assert.match(said.out, /^waiting for these migrations, which the command migrate runs: 3-built-in-rows, /m);
  await run('migrate --apply');
  await until(() => said.out.includes('\nlistening on '));
  assert.equal((await ask('/ready'))?.status, 200);
  assert.equal((await ask('/edge/management/v1/version'))?.status, 200);
  child.kill('SIGTERM');
  const { code, signal } = await ended;
  assert.deepEqual([code, signal], [0, null]);
});

test('a server that leaves the tables of an empty database to others does not listen until they exist', async (t) => {
  const folder = temporaryFolder(t);
  const port = String(await freePort());
  const { child, said } = launch(folder, ['--port', port, '--tls', 'off', '--migrations', 'wait'], { ADMIN_PASSWORD: PASSWORD });
  t.after(() => child.kill('SIGKILL'));
  await until(() => said.out.includes('waiting for these migrations'));
  await assert.rejects(fetch(`http://127.0.0.1:${port}/health`));
  const { code, out } = await runServer(folder, ['migrate', '--apply']);
  assert.deepEqual([code, out.includes('ran 1-initial')], [0, true]);
  await until(() => said.out.includes('\nlistening on '));
  assert.match(said.out, /^administrator +admin$/m);
});
