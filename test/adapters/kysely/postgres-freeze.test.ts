import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { needsPostgres, newSchema } from '../../support/postgres.ts';
import { idsOfNotes, pgNotes } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

test(
  'while a process is frozen in the middle of a write others write, and when it resumes it has lost that write and no other',
  needsPostgres,
  async (t) => {
    await using place = await newSchema();
    const store = await pgNotes({ ...place, lockTimeout: 60_000 }).open(noteSchema);
    const child = spawn(process.execPath, [new URL('./freezing-writer.ts', import.meta.url).pathname, place.connectionString], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    const said = createInterface(child.stdout)[Symbol.asyncIterator]();
    assert.equal((await said.next()).value, 'begun');
    child.kill('SIGSTOP');
    await store.transaction('write', (tx) => tx.insert('note', note('meanwhile')));
    assert.deepEqual(await idsOfNotes(store), ['meanwhile']);
    child.kill('SIGCONT');
    assert.equal((await said.next()).value, 'StoreUnavailable');
    assert.equal((await said.next()).done, true);
    assert.deepEqual(await idsOfNotes(store), ['meanwhile', 'when it goes on']);
    await store.close();
  },
);
