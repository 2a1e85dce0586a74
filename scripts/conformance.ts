/**
 * Runs a folder of conformance scenarios (`run.mjs --url ... --only ...`) against the example server, and holds what fails against the
 * list of known exceptions in `test/conformance/exceptions.json`: a scenario that fails without being listed is an error, and so is one
 * that is listed and passes, so that the list only shrinks.
 * `node scripts/conformance.ts --scenarios FOLDER --store memory|sqlite|postgres`; the last in a new schema of the database that `POSTGRES_URL` names
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { newSchema } from '../test/support/postgres.ts';

const { values } = parseArgs({
  options: {
    scenarios: { type: 'string' },
    store: { type: 'string', default: 'memory' },
    port: { type: 'string', default: '21280' },
  },
});
if (!values.scenarios) throw new Error('--scenarios FOLDER is missing');

interface Exceptions {
  readonly areas: readonly string[];
  /** Scenario (`area: title`) to the reason why it cannot pass yet. */
  readonly scenarios: Readonly<Record<string, string>>;
}

const root = resolve(import.meta.dirname, '..');
const { areas, scenarios: excused }: Exceptions = JSON.parse(readFileSync(join(root, 'test/conformance/exceptions.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
const schema = values.store === 'postgres' ? await newSchema() : undefined;
const storage = schema?.connectionString ?? (values.store === 'sqlite' ? `sqlite:${join(folder, 'controller.db')}` : values.store);
const server = spawn(
  process.execPath,
  [join(root, 'examples/server.ts'), '--port', values.port, '--storage', storage, '--admin-password', 'conformance'],
  { cwd: folder },
);

const listening = () =>
  new Promise<void>((ready, fail) => {
    let said = '';
    const hear = (part: Buffer) => {
      said += part.toString();
      if (said.includes('listening on ')) ready();
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.on('exit', () => fail(new Error(`the server did not start:\n${said}`)));
  });

const wrong: string[] = [];
const count = { passed: 0, excused: 0 };
try {
  await listening();
  for (const area of areas) {
    const report = join(folder, 'report.json');
    const runner = join(values.scenarios, 'run.mjs');
    spawnSync(
      process.execPath,
      [runner, '--url', `https://127.0.0.1:${values.port}`, '--password', 'conformance', '--only', area, '--json', report],
      { stdio: 'ignore' },
    );
    const results: { area: string; title: string; ok: boolean; misses: string[] }[] = JSON.parse(readFileSync(report, 'utf8')).report;
    for (const { area: of, title, ok, misses } of results) {
      const name = `${of}: ${title}`;
      if (ok && name in excused) wrong.push(`passes now, and is still listed as an exception: ${name}`);
      if (!ok && !(name in excused)) wrong.push(`fails: ${name}\n${misses.join('\n')}`);
      if (ok) count.passed++;
      else count.excused++;
    }
  }
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
  await schema?.[Symbol.asyncDispose]();
}
console.log(`${values.store}: ${count.passed} scenarios pass, ${count.excused} fail for a listed reason or below`);
for (const line of wrong) console.error(line);
process.exitCode = wrong.length === 0 ? 0 : 1;
