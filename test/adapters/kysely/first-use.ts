/**
 * Opens a store in a file, writes and reads, and says which packages were loaded by then, and by the use of `db`:
 * `node first-use.ts <file>`.
 */
import { registerHooks } from 'node:module';

const loaded = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    if (/^\w/.test(specifier) && !specifier.includes(':')) loaded.add(specifier);
    return next(specifier, context);
  },
});
const { note, noteSchema, notes } = await import('./support.ts');
const storage = notes({ file: process.argv[2] ?? ':memory:' });
const store = await storage.open(noteSchema);
await store.transaction('write', (tx) => tx.insert('note', note('a')));
await store.transaction('read', (tx) => tx.get('note', 'a'));
const before = [...loaded];
const { sql } = await import('kysely');
await sql`select 1`.execute(storage.db);
await store.close();
console.log(JSON.stringify(before));
