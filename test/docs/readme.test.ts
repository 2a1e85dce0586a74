import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { freePort, startServer, temporaryFolder } from '../examples/child.ts';
import { newSchema, postgresUrl, withoutPostgres } from '../support/postgres.ts';
import { asSource, blocks, blockWith, read, root, running } from './documents.ts';

test('the embedding in the README is examples/embed.ts, and runs', withoutPostgres, () => {
  assert.equal(asSource(blockWith('README.md', 'ts', 'memoryStorage')), read('examples/embed.ts'));
  const said = execFileSync(process.execPath, ['examples/embed.ts'], { cwd: root, encoding: 'utf8' });
  const withoutIds = (text: string): string => text.replaceAll(/^\w{22} /gm, 'ID ');
  assert.equal(withoutIds(said), withoutIds(blockWith('README.md', 'console', 'create ann')));
  assert.equal(blockWith('README.md', 'sh', 'embed.mjs'), 'node embed.mjs\n');
});

test('what the README shows of the start is what the server says', withoutPostgres, async (t) => {
  const { said } = await startServer(t, temporaryFolder(t));
  /** Without what differs between machines and networks. */
  const constant = (text: string): string =>
    text
      .trimEnd()
      .replaceAll(/(?<= )\S+(?=\/data\/)/g, '...')
      .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, 'PORT')
      .replaceAll(/(?<=^password +|"password":")\w+/gm, 'PASSWORD');
  assert.equal(constant(said), constant(blockWith('README.md', 'console', 'root certificate')));
});

test('the client in the README is examples/client.ts, and reaches a server', withoutPostgres, async (t) => {
  assert.equal(asSource(blockWith('README.md', 'ts', 'createClient')), read('examples/client.ts'));
  const folder = temporaryFolder(t);
  const server = await startServer(t, folder);
  const said = execFileSync(process.execPath, ['examples/client.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      CONTROLLER_URL: server.url,
      ADMIN_PASSWORD: server.told('password') ?? '',
      NODE_EXTRA_CA_CERTS: server.told('root certificate') ?? '',
    },
  });
  assert.match(said, /^bob false$/m);
  assert.match(said, /^Default Admin true$/m);
});

const needsCurl = { skip: spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed' };

test('the commands of the README log in, create an identity, and find it again after a restart', {
  skip: withoutPostgres.skip || needsCurl.skip,
}, async (t) => {
  const folder = temporaryFolder(t);
  const [calls = '', again = ''] = blocks('README.md', 'sh').filter((block) => block.includes('--cacert') || block.startsWith('call '));
  const run = (script: string, port: string, password: string) =>
    execFileSync('sh', ['-c', script.replaceAll('1280', port)], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ADMIN_PASSWORD: password, no_proxy: '*' },
    })
      .trim()
      .split('\n');

  const first = await startServer(t, folder);
  const { port } = new URL(first.url);
  const password = first.told('password') ?? '';
  const [created = '', found = ''] = run(calls, port, password);
  const { id } = JSON.parse(created).data;
  assert.deepEqual(
    JSON.parse(found).data.map((identity: { id: string }) => identity.id),
    [id],
  );
  await first.stop();

  await startServer(t, folder, ['--port', port]);
  const definitions = calls
    .split('\n')
    .filter((line) => !line.startsWith('call '))
    .join('\n');
  const [still = ''] = run(`${definitions}\n${again}`, port, password);
  assert.equal(JSON.parse(still).data[0].id, id);
});

/** As the README says to do it without PostgreSQL. */
const onSqlite = (code: string): string =>
  code.replaceAll('postgresStorage', 'sqliteStorage').replace('connectionString: DATABASE_URL', "file: 'controller.db'");

test(
  'the Express application of the README keeps what was created over HTTP, on PostgreSQL where there is one, else on SQLite',
  needsCurl,
  async (t) => {
    const code = blockWith('README.md', 'ts', 'postgresStorage');
    assert.equal(asSource(code), read('examples/express-postgres.ts'));
    await using place = postgresUrl ? await newSchema() : undefined;
    const folder = temporaryFolder(t);
    const port = await freePort();
    const sh = (script: string) =>
      execFileSync('sh', ['-c', script.replaceAll('localhost:3000', `localhost:${port}`)], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, no_proxy: '*' },
      });
    const settings = blockWith('README.md', 'sh', 'DATABASE_URL');
    sh(place ? settings.replace(/(?<=DATABASE_URL=).+/, place.connectionString) : settings);
    const { ADMIN_PASSWORD: _, ...environment } = process.env;
    const start = async () => {
      const args = ['--env-file=.env', ...running(place ? code : onSqlite(code))];
      const env = { ...environment, PORT: String(port) };
      const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
      t.after(() => child.kill('SIGKILL'));
      const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      assert.equal(String(said), `listening on http://localhost:${port}\n`);
      return { stop: () => Promise.all([once(child, 'exit'), child.kill('SIGTERM')]) };
    };
    const calls = blockWith('README.md', 'sh', 'localhost:3000');
    assert.equal(blockWith('README.md', 'sh', 'node --env-file'), 'node --env-file=.env server.mts\n', 'as it is started here');

    const first = await start();
    const [created = '', people] = sh(calls).trim().split('\n');
    assert.match(JSON.parse(created).data.id, /./);
    assert.equal(people, '["ann"]');
    assert.deepEqual((await first.stop())[0], [0, null]);
    const second = await start();
    assert.equal(sh('curl --silent http://localhost:3000/people'), '["ann"]');
    await second.stop();
  },
);
