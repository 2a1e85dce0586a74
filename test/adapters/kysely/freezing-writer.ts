/**
 * Writes a note, and asks one question after the other in its transaction until that is lost: `node freezing-writer.ts <URL>`. Says how far
 * it has come.
 */
import { writeSync } from 'node:fs';
import { pgNotes } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

const [, , place = ''] = process.argv;
const store = await pgNotes({ connectionString: place, pauseTimeout: 500 }).open(noteSchema);
const lost = store.transaction('write', async (tx) => {
  await tx.insert('note', note('of the frozen one'));
  writeSync(1, 'begun\n');
  for (;;) await tx.count('note', { op: 'all' });
});
await lost.catch((error: Error) => writeSync(1, `${error.name}\n`));
await store.transaction('write', (tx) => tx.insert('note', note('when it goes on')));
await store.close();
