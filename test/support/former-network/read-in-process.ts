/** A program: reads all entities of a database, and prints how many they are, and the most memory that it has had meanwhile, in MiB. */
import { FORMER_FIELDS } from '../../../adopt/reader/fields/entities.ts';
import type { FormerKind } from '../../../adopt/reader/fields/former-entities.ts';
import { openFormerDatabase } from '../../../adopt/reader/former-database.ts';

const started = performance.now();
const database = await openFormerDatabase(process.argv[2] ?? '');
let [read, most] = [0, 0];
// What the system counts as the most includes the process that started this one.
for (const kind of Object.keys(FORMER_FIELDS) as FormerKind[])
  for (const _ of database.entities(kind)) if (read++ % 1000 === 0) most = Math.max(most, process.memoryUsage.rss());
const counted = [...database.counts().values()].reduce((sum, count) => sum + count, 0);
database.assertUnchanged();
await database.close();
console.log(
  JSON.stringify({ read, counted, milliseconds: Math.round(performance.now() - started), mebibytes: Math.round(most / 2 ** 20) }),
);
