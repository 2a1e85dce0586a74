/**
 * Measures how the cost of operations grows with the network, in process, without sockets: processor time for an operation at each size, and its growth
 * from one size to the next. PostgreSQL, with the processor time of its backends: `npm run postgres -- npm run bench:growth -- --stores sqlite,postgres`.
 *
 *     npm run bench:growth -- --stores sqlite --sizes 10000x1000x200,100000x10000x1000 --seconds 1 --results bench/GROWTH.md
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
    /** Where SQLite's databases stay for the next run. */
    folder: { type: 'string' },
    results: { type: 'string' },
  },
});
const sizes = values.sizes.split(',');
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'bench-'));

type Table = Readonly<Record<string, Measured>>;

const measure = async (store: string, named: string): Promise<Table> => {
  const place = placeOf(store, named, folder);
  const size = JSON.stringify(sizeOf(named));
  const isFilled = store === 'memory' || (store === 'sqlite' && existsSync(fileOf(place)));
  if (!isFilled) {
    const { child } = await startServer('server.ts', [place, size, 'fill']);
    child.send('close');
    await once(child, 'exit');
  }
  const child = fork(join(import.meta.dirname, 'inside.ts'), [
    store === 'sqlite' ? copied(place) : place,
    size,
    values.seconds,
    values.only,
  ]);
  const [table] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${place}: not measured`))),
  ]);
  return table as Table; // what it sends
};

const fileOf = (place: string): string => place.slice('sqlite:'.length);

/** What is measured writes, too: the next run finds the database as it was filled. */
const copied = (place: string): string => {
  for (const end of ['-wal', '-shm']) rmSync(`${fileOf(place)}.measured${end}`, { force: true });
  copyFileSync(fileOf(place), `${fileOf(place)}.measured`);
  return `${place}.measured`;
};

const lines: string[] = [];
const say = (line = '') => {
  lines.push(line);
  console.log(line);
};
const row = (...cells: readonly string[]) => say(`| ${cells.join(' | ')} |`);

/** Microseconds; of PostgreSQL those of the controller, and those of its backends. */
const shown = ({ us, databaseUs }: Measured): string => (databaseUs > 0 ? `${us.toFixed(0)} + ${databaseUs.toFixed(0)}` : us.toFixed(0));
const whole = ({ us, databaseUs }: Measured): number => us + databaseUs;

say('# Growth');
say();
say(
  `Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} at the start; in process, one call at a time, ${values.seconds} s each. Microseconds of processor time, user and system, for an operation;`,
);
say('for PostgreSQL, those of the controller plus those of its backends. Statements: the most that a call took of the store.');
try {
  for (const store of values.stores.split(',')) {
    say();
    say(`## ${store}`);
    say();
    row('operation', 'statements', ...sizes.flatMap((size, i) => (i === 0 ? [size] : [size, 'growth'])));
    row('---', ...Array.from({ length: sizes.length * 2 }, () => '---:'));
    const tables: Table[] = [];
    for (const size of sizes) tables.push(await measure(store, size));
    for (const [name, first] of Object.entries(tables[0] ?? {})) {
      const cells = tables.flatMap((table, i) => {
        const [cost, before] = [table[name], tables[i - 1]?.[name]];
        if (!cost) return ['', ''];
        return before ? [shown(cost), `${(whole(cost) / whole(before)).toFixed(1)}x`] : [shown(cost)];
      });
      row(name, String(first.statements), ...cells);
    }
  }
} finally {
  if (!values.folder) rmSync(folder, { recursive: true, force: true });
}
if (values.results) writeFileSync(values.results, `${lines.join('\n')}\n`);
