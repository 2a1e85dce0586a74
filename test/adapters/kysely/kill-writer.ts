/** Writes notes until it is killed, and says the id of each once it is stored: `node kill-writer.ts <file or URL> <round>`. */
import { writeSync } from 'node:fs';
import { pgNotes } from './postgres-support.ts';
import { note, noteSchema, notes } from './support.ts';

const [, , place = '', round = ''] = process.argv;
const storage = place.startsWith('postgres:') ? pgNotes({ connectionString: place }) : notes({ file: place });
const store = await storage.open(noteSchema);
for (let index = 0; ; index++) {
  const id = `${round}-${index}`;
  await store.transaction('write', async (tx) => {
    await tx.nextRevision();
    await tx.insert('note', note(id, { labels: ['every', `l${index % 5}`], pad: 'x'.repeat(index % 3000) }));
  });
  writeSync(1, `${id}\n`);
}
