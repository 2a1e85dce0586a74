/**
 * Measures how the cost of operations grows with the network, in process, without sockets: processor time per operation at each size, and
 * its growth from one size to the next. For PostgreSQL, this includes the processor time of the backends.
 *
 *     npm run bench:growth -- --stores sqlite --sizes 10000x1000x200,100000x10000x1000 --seconds 1 --results bench/GROWTH.md
 *     npm run postgres -- npm run bench:growth -- --stores sqlite,postgres
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Measured } from './inside.ts';
import { startServer } from './measure.ts';
import { placeOf, sizeOf } from './stores.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000x1000x200,100000x10000x1000' },
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

type Table = Readonly<Record<string, Measured>>;

const measure = async (store: string, sizeText: string): Promise<Table> => {
  const place = placeOf(store, sizeText, folder);
  const size = JSON.stringify(sizeOf(sizeText));
  const isFilled = store === 'memory' || (store === 'sqlite' && existsSync(fileOf(place)));
  if (!isFilled) {
    const { child } = await startServer('server.ts', [place, size, 'fill']);
    child.send('close');
    await once(child, 'exit');
  }
  const child = fork(join(import.meta.dirname, 'inside.ts'), [
    store === 'sqlite' ? copyOf(place) : place,
    size,
    values.seconds,
    values.only,
  ]);
  const [table] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${place}: not measured`))),
  ]);
  return table as Table; // the type of its message
};

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

print('# Growth');
print();
print(
  `Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} at the start; in process, one call at a time, ${values.seconds} s each. Microseconds of processor time (user and system) per operation;`,
);
print('for PostgreSQL, of the controller plus its backends. Statements: the maximum number of store statements of a call.');
try {
  for (const store of values.stores.split(',')) {
    print();
    print(`## ${store}`);
    print();
    row('operation', 'statements', ...sizes.flatMap((size, i) => (i === 0 ? [size] : [size, 'growth'])));
    row('---', ...Array.from({ length: sizes.length * 2 }, () => '---:'));
    const tables: Table[] = [];
    for (const size of sizes) tables.push(await measure(store, size));
    for (const [name, first] of Object.entries(tables[0] ?? {})) {
      const cells = tables.flatMap((table, i) => {
        const [cost, before] = [table[name], tables[i - 1]?.[name]];
        if (!cost) return ['', ''];
        return before ? [formatted(cost), `${(total(cost) / total(before)).toFixed(1)}x`] : [formatted(cost)];
      });
      row(name, String(first.statements), ...cells);
    }
  }
} finally {
  if (!values.folder) rmSync(folder, { recursive: true, force: true });
}
if (values.results) writeFileSync(values.results, `${lines.join('\n')}\n`);
