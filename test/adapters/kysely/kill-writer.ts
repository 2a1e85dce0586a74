/**
 * Writes notes, several at a time, until it is killed, and says the id of each once it is stored:
 * `node kill-writer.ts <file or URL> <round>`.
 */
import { writeSync } from 'node:fs';
import type { Transaction } from '../../../src/store/storage/port.ts';
import { pgNotes } from './postgres-support.ts';
import { note, noteSchema, notes } from './support.ts';

const [, , place = '', round = ''] = process.argv;
const storage = place.startsWith('postgres:') ? pgNotes({ connectionString: place }) : notes({ file: place });
const store = await storage.open(noteSchema);
const writeOn = async (lane: number): Promise<never> => {
  for (let index = 0; ; index++) {
    const id = `${round}-${lane}-${index}`;
    const insert = async (tx: Transaction) => {
      await tx.nextRevision();
      await tx.insert('note', note(id, { labels: ['every', `l${index % 5}`], pad: 'x'.repeat(index % 3000) }));
    };
    await store.transaction('write', insert, { mayShareCommit: true });
    writeSync(1, `${id}\n`);
  }
};
await Promise.all([1, 2, 3, 4].map(writeOn));
