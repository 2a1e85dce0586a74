/**
 * Measures how the cost of operations grows with the network, in process, without sockets: processor time per operation at each size, and
 * its growth from one size to the next. For PostgreSQL, this includes the processor time of the backends. Exits with 1 if an operation
 * grows by more than its class (`operations.ts`) allows, or holds the event loop for too long.
 *
 *     npm run bench:growth -- --stores memory,sqlite --sizes 10000x1000x200,100000x1000x200 --seconds 1 --results bench/GROWTH.md
 *     npm run postgres -- npm run bench:growth -- --stores sqlite,postgres
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Footprint, Measured, Report } from './inside.ts';
import { startServer } from './measure.ts';
import { placeOf, sizeOf } from './stores.ts';
import type { WholeCost } from './whole-network.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000x1000x200,100000x1000x200' },
    stores: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    /** Folder that keeps SQLite databases for later runs. */
    folder: { type: 'string' },
    results: { type: 'string' },
  },
});
const sizes = values.sizes.split(',');
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'bench-'));

/** The factor by which the cost may grow while the number of identities grows tenfold, with the noise of such measurements. */
const FACTORS: Readonly<Record<Measured['growth'], number>> = { constant: 2, logarithmic: 4, page: 3, linear: 30 };
/** The cost of a page of up to 100 rows that come from the store. us */
const PAGE_US = 10_000;
/** Costs below this are not compared. us */
const NEGLIGIBLE_US = 100;
/** The same of operations on the whole network, of which there is one call each. ms */
const NEGLIGIBLE_MS = 50;
/** The time for which an operation may hold the event loop. ms */
const MAX_HELD_MS = 50;
const violations: string[] = [];

type Table = Report['table'];

const measure = async (store: string, sizeText: string): Promise<Report & { readonly databaseMib: number | undefined }> => {
  const place = placeOf(store, sizeText, folder);
  const size = JSON.stringify(sizeOf(sizeText));
  const isFilled = store === 'memory' || (store === 'sqlite' && existsSync(fileOf(place)));
  if (!isFilled) {
    const { child } = await startServer('server.ts', [place, size, 'fill']);
    child.send('close');
    await once(child, 'exit');
  }
  const child = fork(
    join(import.meta.dirname, 'inside.ts'),
    [store === 'sqlite' ? copyOf(place) : place, size, values.seconds, values.only],
    { execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning', '--max-old-space-size=12000'] },
  );
  const [report] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${place}: not measured`))),
  ]);
  const databaseMib = store === 'sqlite' ? statSync(fileOf(place)).size / 2 ** 20 : undefined;
  return { ...(report as Report), databaseMib }; // the type of its message
};

/** The rows about the process as a whole. */
const FOOTPRINT: readonly (readonly [keyof Footprint, string])[] = [
  ['openMs', 'open, ms of processor time'],
  ['warmUpMs', 'warm-up, ms of processor time'],
  ['warmMib', 'resident memory then, MiB'],
  ['mib', 'resident memory after all operations, MiB'],
];

const fileOf = (place: string): string => place.slice('sqlite:'.length);

/** Copies the filled database, because some of the measured operations write, and the next run needs the database unchanged. */
const copyOf = (place: string): string => {
  for (const suffix of ['-wal', '-shm']) rmSync(`${fileOf(place)}.measured${suffix}`, { force: true });
  copyFileSync(fileOf(place), `${fileOf(place)}.measured`);
  return `${place}.measured`;
};

const lines: string[] = [];
const print = (line = '') => {
  lines.push(line);
  console.log(line);
};
const row = (...cells: readonly string[]) => print(`| ${cells.join(' | ')} |`);

/** Formats a cost in microseconds; for PostgreSQL, the costs of the controller and of its backends. */
const formatted = ({ us, databaseUs }: Measured): string =>
  databaseUs > 0 ? `${us.toFixed(0)} + ${databaseUs.toFixed(0)}` : us.toFixed(0);
const total = ({ us, databaseUs }: Measured): number => us + databaseUs;

/** The factor by which the cost may grow from the size before. */
const allowed = (growth: Measured['growth'], i: number): number => {
  const tenfolds = Math.log10(sizeOf(sizes[i] ?? '').identities / sizeOf(sizes[i - 1] ?? '').identities);
  return FACTORS[growth] ** Math.max(1, tenfolds);
};

const checkWhole = (where: string, cost: WholeCost | undefined, before: WholeCost | undefined, i: number): void => {
  if (!cost) return;
  if (cost.heldMs > MAX_HELD_MS) violations.push(`${where} holds the event loop for ${cost.heldMs.toFixed(0)} ms`);
  const growth = before ? cost.ms / Math.max(before.ms, NEGLIGIBLE_MS) : 0;
  if (growth > allowed(cost.growth, i)) violations.push(`${where} grows by ${growth.toFixed(1)}, and is to be ${cost.growth}`);
};

print('# Growth');
print();
print(
  `Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} at the start; in process, one call at a time, ${values.seconds} s each. Microseconds of processor time (user and system) per operation;`,
);
print('for PostgreSQL, of the controller plus its backends. Statements: the maximum number of store statements of a call.');
print(
  'Held: the longest processor time for which a call held the event loop, at any of the sizes. Of operations on the whole network: one call, seconds of',
);
print('processor time, and the highest heap and external memory above those before.');
try {
  for (const store of values.stores.split(',')) {
    print();
    print(`## ${store}`);
    print();
    row('operation', 'class', 'statements', ...sizes.flatMap((size, i) => (i === 0 ? [size] : [size, 'growth'])), 'held, ms');
    row('---', '---', ...Array.from({ length: sizes.length * 2 + 1 }, () => '---:'));
    const reports: Awaited<ReturnType<typeof measure>>[] = [];
    for (const size of sizes) reports.push(await measure(store, size));
    const tables: readonly Table[] = reports.map(({ table }) => table);
    for (const [name, first] of Object.entries(tables[0] ?? {})) {
      const cells = tables.flatMap((table, i) => {
        const [cost, before] = [table[name], tables[i - 1]?.[name]];
        if (!cost) return i === 0 ? ['refused'] : ['refused', ''];
        const where = `${name} (${store}, ${sizes[i]})`;
        if (cost.heldMs > MAX_HELD_MS) violations.push(`${where} holds the event loop for ${cost.heldMs.toFixed(0)} ms`);
        if (!before) return [formatted(cost)];
        const growth = total(cost) / Math.max(total(before), NEGLIGIBLE_US);
        const isPage = first.growth === 'page' && total(cost) <= PAGE_US;
        if (!isPage && growth > allowed(first.growth, i))
          violations.push(`${where} grows by ${growth.toFixed(1)}, and is to be ${first.growth}`);
        return [formatted(cost), `${(total(cost) / total(before)).toFixed(1)}x`];
      });
      row(name, first.growth, String(first.statements), ...cells, Math.max(...tables.map((table) => table[name]?.heldMs ?? 0)).toFixed(0));
    }
    print();
    row('the whole network', 'class', ...sizes.map((size) => `${size}: s, MiB`), 'held, ms');
    row('---', '---', ...sizes.map(() => '---:'), '---:');
    for (const [name, first] of Object.entries(reports[0]?.whole ?? {})) {
      const costs = reports.map(({ whole }) => whole[name]);
      const cells = costs.map((cost) => (cost ? `${(cost.ms / 1000).toFixed(2)}, ${cost.peakMib.toFixed(0)}` : 'refused'));
      for (const [i, cost] of costs.entries()) checkWhole(`${name} (${store}, ${sizes[i]})`, cost, costs[i - 1], i);
      row(name, first.growth, ...cells, Math.max(...costs.map((cost) => cost?.heldMs ?? 0)).toFixed(0));
    }
    print();
    row('the process', ...sizes);
    row('---', ...sizes.map(() => '---:'));
    for (const [key, label] of FOOTPRINT) row(label, ...reports.map(({ footprint }) => footprint[key].toFixed(0)));
    if (store === 'sqlite') row('database, MiB', ...reports.map(({ databaseMib = 0 }) => databaseMib.toFixed(0)));
  }
} finally {
  if (!values.folder) rmSync(folder, { recursive: true, force: true });
}
for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exitCode = 1;
if (values.results) writeFileSync(values.results, `${lines.join('\n')}\n`);
