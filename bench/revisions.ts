/**
 * Compares warm calls of the controller between two commits of the project, alternating on the same machine: processor time, allocated
 * bytes, store statements, source files and functions.
 *
 *     npm run bench:revisions -- BASE [--store memory|sqlite] [--size 1000x200x50] [--pairs 5] [--rounds 10] [--only TEXT]
 *
 * Each pair of processes compiles the code in its own way, which changes times by up to a fifth: the ratio is the median over several
 * pairs. The base is checked out into a temporary folder and uses the installed packages of this one.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Path, Question } from './revisions/measured.ts';
import { sizeOf } from './stores.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: 'string', default: 'memory' },
    size: { type: 'string', default: '1000x200x50' },
    pairs: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
  },
});
const [base = 'HEAD'] = positionals;
const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'revisions-'));
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });

/** Size of the young generation in MiB, large enough for the allocations of all counted calls, so that no collection runs between them. */
const YOUNG_MB = 256;

interface Measured {
  readonly child: ChildProcess;
  readonly operations: readonly string[];
  /** Processor time per call, in microseconds. */
  time(operation: string, calls: number): Promise<number>;
  path(operation: string): Promise<Path>;
}

const open = async (folder: string, name: string): Promise<Measured> => {
  const store = values.store === 'sqlite' ? join(scratch, `${name}.db`) : values.store;
  const child = fork(join(root, 'bench/revisions/measured.ts'), [folder, store, JSON.stringify(sizeOf(values.size))], {
    execArgv: [
      '--expose-gc',
      `--max-semi-space-size=${YOUNG_MB}`,
      `--min-semi-space-size=${YOUNG_MB}`,
      '--disable-warning=ExperimentalWarning',
    ],
  });
  child.once('exit', (code) => code === null || code === 0 || process.exit(code));
  const [operations] = await once(child, 'message');
  const ask = async (question: Question) => {
    child.send(question);
    const [figures] = await once(child, 'message');
    return figures;
  };
  return {
    child,
    operations,
    time: (operation, calls) => ask({ type: 'time', operation, calls }),
    path: (operation) => ask({ type: 'path', operation }),
  };
};

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/**
 * The processor time of a call in both commits, and the ratio: medians of many short, alternating rounds, so that other load affects both.
 */
const compare = async (first: Measured, second: Measured, operation: string) => {
  const calls = Math.max(5, Math.round(50_000 / (await first.time(operation, 50))));
  const [before, after, ratios]: [number[], number[], number[]] = [[], [], []];
  for (let round = -3; round < Number(values.rounds); round++) {
    const isFirst = round % 2 === 0;
    const one = await (isFirst ? first : second).time(operation, calls);
    const other = await (isFirst ? second : first).time(operation, calls);
    // Before round 0, both warm up.
    if (round < 0) continue;
    const [earlier, later] = isFirst ? [one, other] : [other, one];
    before.push(earlier);
    after.push(later);
    ratios.push(later / earlier);
  }
  return { before: median(before), after: median(after), ratio: median(ratios) };
};

const folder = join(scratch, 'base');
git('worktree', 'add', '--detach', '--quiet', folder, base);
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
try {
  const compared = new Map<string, Awaited<ReturnType<typeof compare>>[]>();
  const paths = new Map<string, readonly [old: Path, own: Path]>();
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const [first, second] = [await open(folder, `base-${pair}`), await open(root, `own-${pair}`)];
    for (const operation of first.operations.filter((name) => name.includes(values.only))) {
      compared.set(operation, [...(compared.get(operation) ?? []), await compare(first, second, operation)]);
      if (pair === 0) paths.set(operation, [await first.path(operation), await second.path(operation)]);
    }
    for (const { child } of [first, second]) child.kill();
  }
  console.log(`${git('rev-parse', '--short', base).trim()} -> this checkout, ${values.store}, ${values.size}; figures of one warm call\n`);
  console.log(
    '| operation | processor time, us | ratio | allocated, KiB | statements | files | functions |\n|---|---|---|---|---|---|---|',
  );
  for (const [operation, [old, own]] of paths) {
    const all = compared.get(operation) ?? [];
    const ratios = all.map(({ ratio }) => ratio);
    const both = (figure: keyof Path, unit = 1) =>
      `${Math.round((old[figure] / unit) * 10) / 10} -> ${Math.round((own[figure] / unit) * 10) / 10}`;
    const times = [median(all.map(({ before }) => before)), median(all.map(({ after }) => after))].map(Math.round).join(' -> ');
    const range = `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
    console.log(
      `| ${operation} | ${times} | ${range} | ${both('allocated', 1024)} | ${both('statements')} | ${both('files')} | ${both('functions')} |`,
    );
  }
} finally {
  git('worktree', 'remove', '--force', folder);
  rmSync(scratch, { recursive: true, force: true });
}
