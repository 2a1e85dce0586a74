/**
 * Tests a rolling upgrade, and the way back: `npm run postgres -- npm run try:upgrade`. Builds the package of an earlier commit from the
 * history (`FORMER`, by default 7d01e5ba; `FORMER_MAIN` names the command of one that is built). Servers of it and of this release take
 * turns on one PostgreSQL database while writers go on.
 * Then a network of `IDENTITIES` (100,000) is migrated. Prints measurements; exits with 1 if an acknowledged write is missing, or a step
 * fails. Needs git and tar.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Controller, MAIN, startController } from './try-databases/controllers.ts';
import { startWriters, type Writers } from './try-databases/writers.ts';
import { createProcesses } from './try-routers/processes.ts';

const { POSTGRES_URL: url, FORMER: commit = '7d01e5ba', IDENTITIES = '100000' } = process.env;
if (!url) throw new TypeError('POSTGRES_URL is not set: run it through scripts/postgres.ts');

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'try-upgrade-'));
const processes = createProcesses(folder);
process
  .once('SIGINT', () => process.exit(1))
  .once('exit', () => {
    processes.end();
    if (!process.exitCode) rmSync(folder, { recursive: true, force: true });
  });

const BATCH = 1000;
/** How long the servers of a step write. ms */
const STEP_MS = 3000;

/** Builds the package of the earlier commit. @returns the file of its command */
const buildFormer = (): string => {
  if (process.env.FORMER_MAIN) return process.env.FORMER_MAIN;
  const former = join(folder, 'former');
  mkdirSync(former);
  execFileSync('sh', ['-ec', `git archive ${commit} | tar -x -C ${former}`], { cwd: root, stdio: 'inherit' });
  symlinkSync(join(root, 'node_modules'), join(former, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: former, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(former, 'dist/server/main.js');
};

const in_ = (schema: string) => `${url}?schema=${schema}`;

const stop = async ({ process: child }: Controller): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [status] = await ended;
  assert.equal(status, 0, 'a server that is stopped completes its requests');
};

/** The servers of one release replace those of another, one by one, while all write. @returns the new ones */
const replaced = async (
  writers: Writers,
  running: readonly Controller[],
  name: string,
  options: { readonly storage: string; readonly main: string },
): Promise<readonly Controller[]> => {
  const now: Controller[] = [];
  for (const [i, former] of running.entries()) {
    const next = await startController(folder, processes, `${name}-${i}`, options);
    now.push(next);
    writers.replace(former, next);
    await writers.firstSince(Date.now());
    await pause(STEP_MS);
    await writers.check([...now, ...running.slice(i)]);
    await stop(former);
  }
  return now;
};

/** The largest resident memory of a process so far. MiB */
const peakOf = ({ pid }: ChildProcess): number => {
  const [, kibibytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kibibytes) / 1024);
};

const said = (name: string): string => readFileSync(join(folder, `${name}.log`), 'utf8');
const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

const step = async (name: string, work: () => Promise<string>): Promise<void> => console.log(`✔ ${name}: ${await work()}`);

try {
  writeFileSync(join(folder, 'secret.key'), randomBytes(32).toString('base64'), { mode: 0o600 });
  const began = Date.now();
  const former = { main: buildFormer() };
  console.log(`the package of ${commit} is built in ${seconds(began)}`);

  const storage = in_('rolling');
  let running: readonly Controller[] = [];
  for (const name of ['former-a', 'former-b'])
    running = [...running, await startController(folder, processes, name, { ...former, storage })];
  const writers = startWriters(running);
  const turn = async (name: string, main: string) => {
    const [refused, written] = [writers.refused, writers.acknowledged.length];
    running = await replaced(writers, running, name, { storage, main });
    const compared = await writers.check(running);
    return `${writers.acknowledged.length - written} writes, ${writers.refused - refused} refused, nothing of ${compared} identities lost`;
  };
  await step('servers of this release replace those of the former, one by one', () => turn('this', MAIN));
  await step('servers of the former release replace them again', () => turn('back', former.main));
  await step('servers of this release replace those for good', () => turn('again', MAIN));
  await writers.end();
  for (const each of running) await stop(each);

  await step('a network that this release has made is served by the former, too', async () => {
    const made = await startController(folder, processes, 'made', { storage: in_('made') });
    const joined = await startController(folder, processes, 'joined', { ...former, storage: in_('made') });
    const both = startWriters([made, joined]);
    await pause(STEP_MS);
    const compared = await both.check([made, joined]);
    await both.end();
    for (const each of [made, joined]) await stop(each);
    return `${both.acknowledged.length} writes, ${both.refused} refused, nothing of ${compared} identities lost`;
  });

  await step(`a network of ${IDENTITIES} identities is migrated`, async () => {
    const large = in_('large');
    const filling = await startController(folder, processes, 'filling', { ...former, storage: large });
    for (let from = 0; from < Number(IDENTITIES); from += BATCH) {
      const operations = Array.from({ length: Math.min(BATCH, Number(IDENTITIES) - from) }, (_, i) => ({
        operation: 'identities.create',
        input: { body: { name: `id-${from + i}`, type: 'User', isAdmin: false, roleAttributes: [`a${i % 300}`] } },
      }));
      const { status, body } = await filling.ask('POST', '/../extensions/v1/batch', { operations });
      assert.equal(status, 200, JSON.stringify(body).slice(0, 500));
    }
    await stop(filling);
    const migrating = Date.now();
    const child = processes.start('migrating', process.execPath, MAIN, 'migrate', '--apply', '--storage', large);
    let peak = 0;
    const ended = once(child, 'exit');
    const measuring = setInterval(() => {
      peak = Math.max(peak, child.exitCode === null ? peakOf(child) : 0);
    }, 20);
    const [status] = await ended;
    clearInterval(measuring);
    assert.equal(status, 0, said('migrating'));
    const took = seconds(migrating);
    const starting = Date.now();
    const server = await startController(folder, processes, 'large', { storage: large });
    const found = await server.ask('GET', '/identities?limit=1');
    assert.equal(found.body.meta.pagination.totalCount, Number(IDENTITIES) + 1);
    const measured = `${took} and ${peak} MiB by the command; the first server answers ${seconds(starting)} after its start, with ${peakOf(server.process)} MiB`;
    await stop(server);
    return measured;
  });

  await step('a release that is older than its database needs is refused, and told what to do', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      "insert into rolling.overlay_controller_migrations (version, name, applied_at, oldest, steps) select version + 1, 'of-a-later-release', applied_at, version + 1, '[]' from rolling.overlay_controller_migrations order by version desc limit 1",
    );
    await client.end();
    const options = [
      '--port',
      '0',
      '--tls',
      'off',
      '--data-folder',
      'data-refused',
      '--secret-key-file',
      'secret.key',
      '--storage',
      storage,
    ];
    const child = processes.start('refused', process.execPath, MAIN, ...options);
    const [status] = await once(child, 'exit');
    assert.equal(status, 1);
    assert.match(said('refused'), /run the release that migrated it, or a newer one; to return to this one, restore a snapshot/);
    return said('refused').trim();
  });
} catch (error) {
  console.error(error, `\nthe logs are in ${folder}`);
  process.exitCode = 1;
}
process.exit();
