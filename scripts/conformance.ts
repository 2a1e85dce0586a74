/**
 * Runs a folder of conformance scenarios (`run.mjs --url ... --only ...`) against examples, by default the server, and compares the
 * failures with the list of known exceptions in `test/conformance/exceptions.json`. It is an error if an unlisted scenario fails, or if a
 * listed one passes, so that the list only shrinks.
 *
 *     node scripts/conformance.ts --scenarios FOLDER --store memory|sqlite|postgres [--example NAME ...] [--areas AREA,...] [--oidc off]
 *       [--compat 1.7|2.0]
 *
 * The store `postgres` is a new schema of the database that `POSTGRES_URL` names. With `--oidc off`, the scenarios of the OpenID provider
 * are skipped. The scenarios were recorded with release 1.7, the default of `--compat`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { newSchema } from '../test/support/postgres.ts';

const { values } = parseArgs({
  options: {
    scenarios: { type: 'string' },
    store: { type: 'string', default: 'memory' },
    example: { type: 'string', multiple: true, default: ['server'] },
    areas: { type: 'string' },
    oidc: { type: 'string', default: 'on' },
    compat: { type: 'string', default: '1.7' },
  },
});
const { scenarios: scenarioFolder, store, oidc, compat } = values;
if (!scenarioFolder) throw new Error('--scenarios FOLDER is missing');

interface Exceptions {
  readonly areas: readonly string[];
  /** The reason why a scenario cannot pass yet, by scenario (`area: title`). */
  readonly scenarios: Readonly<Record<string, string>>;
  /** Further exceptions of each example, in which its framework behaves differently. */
  readonly examples: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Further exceptions of each later release, in which the recorded release answered differently. */
  readonly releases: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const root = resolve(import.meta.dirname, '..');
const {
  areas: all,
  scenarios,
  examples,
  releases,
}: Exceptions = JSON.parse(readFileSync(join(root, 'test/conformance/exceptions.json'), 'utf8'));
const areas = (values.areas?.split(',') ?? all).filter((area) => oidc === 'on' || !area.startsWith('oidc'));

const AREA_LIMIT_MS = 5 * 60_000;

interface ScenarioResult {
  readonly area: string;
  readonly title: string;
  readonly ok: boolean;
  readonly misses: readonly string[];
}

/** Starts an example on a free port. */
const start = async (example: string, folder: string, storage: string): Promise<{ readonly url: string; stop(): void }> => {
  const server = spawn(
    process.execPath,
    [
      join(root, example === 'server' ? 'server/main.ts' : `examples/${example}.ts`),
      '--port',
      '0',
      '--storage',
      storage,
      '--admin-password',
      'conformance',
      ...(oidc === 'on' ? [] : ['--oidc', oidc]),
      '--compat',
      compat,
    ],
    { cwd: folder },
  );
  const url = await new Promise<string>((ready, fail) => {
    let output = '';
    const read = (part: Buffer) => {
      output += part.toString();
      const address = /^listening on (.+)\n/m.exec(output)?.[1];
      if (address) ready(address);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.on('exit', () => fail(new Error(`${example} did not start:\n${output}`)));
  });
  return { url, stop: () => server.kill() };
};

/** Runs all areas against an example. @returns the errors, one per line */
const check = async (example: string): Promise<readonly string[]> => {
  const excused = { ...scenarios, ...examples[example], ...releases[compat] };
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  await using schema = store === 'postgres' ? await newSchema() : undefined;
  const storage = schema?.connectionString ?? (store === 'sqlite' ? `sqlite:${join(folder, 'controller.db')}` : store);
  const { url, stop } = await start(example, folder, storage);
  const runner = join(scenarioFolder, 'run.mjs');
  const wrong: string[] = [];
  const count = { passed: 0, excused: 0 };
  try {
    for (const area of areas) {
      const report = join(folder, `${area}.json`);
      const { signal, stdout } = spawnSync(
        process.execPath,
        [runner, '--url', url, '--password', 'conformance', '--only', area, '--json', report],
        { encoding: 'utf8', timeout: AREA_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 },
      );
      // Its status says only whether all scenarios passed, those with an exception included.
      const results: readonly ScenarioResult[] =
        signal === null && existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).report : [];
      if (results.length === 0)
        wrong.push(
          `${signal === null ? 'no scenario ran' : `the scenarios did not end in ${AREA_LIMIT_MS / 60_000} minutes`}: ${area}\n${stdout}`,
        );
      for (const { area: scenarioArea, title, ok, misses } of results) {
        const name = `${scenarioArea}: ${title}`;
        if (ok && name in excused) wrong.push(`passes now, and is still listed as an exception: ${name}`);
        if (!ok && !(name in excused)) wrong.push(`fails: ${name}\n${misses.join('\n')}`);
        if (ok) count.passed++;
        else count.excused++;
      }
    }
  } finally {
    stop();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(
    `${example} on ${store}, compatible with ${compat}${oidc === 'on' ? '' : ', without the OpenID provider'}: ${count.passed} scenarios pass, ${count.excused} fail for a listed reason or below`,
  );
  return wrong;
};

for (const example of values.example) {
  for (const line of await check(example)) {
    console.error(line);
    process.exitCode = 1;
  }
}
