/**
 * `npm run check:runners`, after `npm run build`: the packed package in the test frameworks, compilers, bundles and Workers that
 * applications use.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { build } from 'esbuild';
import { install, manifest, root } from '../pack.ts';

const modules = join(import.meta.dirname, 'node_modules');

/** For a test: the frameworks allow five seconds, in which a busy machine may not open a network. */
const TIME_LIMIT = '--testTimeout=120000';

const vitest = (folder: string, ...options: readonly string[]) => ({
  args: [join(modules, folder, 'vitest.mjs'), 'run', '--globals', '--no-color', TIME_LIMIT, ...options],
  passed: /Tests +3 passed/,
});
const jest = (...options: readonly string[]) => ({
  args: ['--experimental-vm-modules', join(modules, 'jest/bin/jest.js'), TIME_LIMIT, ...options],
  passed: /^Tests: +3 passed/m,
});

/** The part of Miniflare, which runs workerd, that is used here. */
interface RunningWorker {
  dispatchFetch(url: string, init: object): Promise<Response>;
  dispose(): Promise<void>;
}

/** How each runs a file that ends in `.test.mjs`, and what it says at the end. */
const runners: Readonly<Record<string, { readonly args: readonly string[]; readonly passed: RegExp }>> = {
  'node:test': { args: ['--test', 'kit.test.mjs'], passed: /^ℹ pass 3$/m },
  Vitest: vitest('vitest'),
  'Vitest 3, in contexts of their own in threads': vitest('vitest3', '--pool=vmThreads'),
  'Vitest 3, in contexts of their own in processes': vitest('vitest3', '--pool=vmForks'),
  Jest: jest(),
  'Jest, with fake timers everywhere': jest('--fakeTimers={"enableGlobally":true}'),
};

/** An application with the package, and with what its file imports. */
const application = (t: TestContext, file: string): string => {
  const app = install(t);
  for (const runner of ['vitest', 'jest', '@jest']) symlinkSync(join(modules, runner), join(app, 'node_modules', runner), 'junction');
  copyFileSync(join(import.meta.dirname, file), join(app, file));
  const jest = { testMatch: ['**/*.test.mjs'], transform: {}, moduleFileExtensions: ['js', 'mjs'] };
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module', jest }));
  return app;
};

const { NODE_TEST_CONTEXT: _, ...env } = process.env; // else Node believes that it runs a file of these tests
const run = (cwd: string, args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env });
  assert.equal(status, 0, stdout + stderr);
  return stdout + stderr;
};

for (const [name, { args, passed }] of Object.entries(runners))
  test(`the testing kit works in ${name}`, (t) => {
    assert.match(run(application(t, 'kit.test.mjs'), args), passed);
  });

const EARLIEST_TYPESCRIPT = 'typescript54';

test('the entry points compile with TypeScript 5.4, without skipLibCheck', (t) => {
  const app = application(t, 'worker.mjs');
  const ofOthers = /express|fastify|hono|koa|next|drizzle|prisma|opentelemetry/; // with types of theirs
  const entries = Object.entries(manifest.exports).filter(([name, target]) => typeof target !== 'string' && !ofOthers.test(name));
  const imports = entries.map(([name], i) => `export * as entry${i} from 'overlay-controller${name.slice(1)}';`);
  writeFileSync(join(app, 'main.ts'), imports.join('\n'));
  run(app, [
    join(modules, EARLIEST_TYPESCRIPT, 'bin/tsc'),
    ...[
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--typeRoots',
      join(root, 'node_modules/@types'),
      'main.ts',
    ],
  ]);
});

test('a CommonJS bundle opens a network in SQLite', async (t) => {
  const app = application(t, 'worker.mjs');
  const code = `
    import { ManagementController, newSecretKey } from 'overlay-controller';
    import { sqliteStorage } from 'overlay-controller/storage/kysely';
    const settings = { address: 'https://overlay.example.com' };
    ManagementController.open({ storage: sqliteStorage({ file: ':memory:' }), secretKey: newSecretKey(), settings })
      .then((controller) => controller.close())
      .then(() => console.log('closed'));`;
  writeFileSync(join(app, 'main.mjs'), code);
  await build({
    absWorkingDir: app,
    entryPoints: ['main.mjs'],
    outfile: join(app, 'main.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    external: ['@node-rs/argon2', 'pg'],
    logOverride: { 'empty-import-meta': 'silent' },
  });
  assert.match(run(app, ['main.cjs']), /closed/);
});

test('a Worker opens a network, in which an administrator logs in and creates an identity', async (t) => {
  const app = application(t, 'worker.mjs');
  const { outputFiles } = await build({
    absWorkingDir: app,
    entryPoints: ['worker.mjs'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  const { Miniflare }: { readonly Miniflare: new (options: object) => RunningWorker } = await import(
    join(modules, 'miniflare/dist/src/index.js')
  );
  const worker = new Miniflare({ modules: true, script: outputFiles[0]?.text, compatibilityDate: '2025-09-01' });
  t.after(() => worker.dispose());
  const call = async (path: string, body?: object, token = ''): Promise<{ readonly data: Record<string, unknown> }> => {
    const response = await worker.dispatchFetch(`https://overlay.example.com/edge/management/v1/${path}`, {
      headers: { 'content-type': 'application/json', 'zt-session': token },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    assert.ok(response.ok, `${response.status}`);
    return JSON.parse(await response.text());
  };
  const { data } = await call('authenticate?method=password', { username: 'admin', password: 'a-good-password' });
  const created = await call('identities', { name: 'ann', type: 'User', isAdmin: false }, String(data.token));
  assert.equal((await call(`identities/${created.data.id}`, undefined, String(data.token))).data.name, 'ann');
});
