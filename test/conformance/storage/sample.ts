/** The kinds that the storage suite stores. Some names are words of SQL, so that adapters prove that they quote. */
import type { Predicate } from '../../../src/query/predicate.ts';
import type { Query, Row, StorageSchema, Store, Transaction } from '../../../src/store/storage/port.ts';

export const schema: StorageSchema = [
  {
    kind: 'note',
    columns: [
      { name: 'name', type: 'string', index: 'unique' },
      { name: 'ownerId', type: 'string', index: true },
      { name: 'order', type: 'number', index: false },
      { name: 'isOpen', type: 'boolean', index: true },
      { name: 'dueAt', type: 'date', index: true },
      { name: 'externalKey', type: 'number', index: 'unique' },
    ],
    sets: ['labels', 'select'],
  },
  { kind: 'noteGroup', columns: [{ name: 'title', type: 'string', index: false }], sets: ['noteIds'] },
  { kind: 'group', columns: [], sets: [] },
];

export const BIRTH = '2024-01-01T00:00:00.000Z';

/** A note of version 1 with a name of its own. */
export const note = (id: string, fields: Readonly<Record<string, unknown>> = {}): Row => ({
  id,
  version: 1,
  createdAt: BIRTH,
  updatedAt: BIRTH,
  name: `note ${id}`,
  ...fields,
});

export const group = (id: string, noteIds: readonly string[]): Row => ({
  id,
  version: 1,
  createdAt: BIRTH,
  updatedAt: BIRTH,
  title: id,
  noteIds,
});

/** Inserts notes in a transaction of their own. */
export const save = (store: Store, ...rows: readonly Row[]): Promise<void> =>
  write(store, (tx) => each(rows, (row) => tx.insert('note', row)));

export const each = async <T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> => {
  for (const item of items) await work(item);
};

export const read = <T>(store: Store, work: (tx: Transaction) => Promise<T>): Promise<T> => store.transaction('read', work);
export const write = <T>(store: Store, work: (tx: Transaction) => Promise<T>): Promise<T> => store.transaction('write', work);

export const idsOf = (rows: readonly Row[]): readonly string[] => rows.map((row) => row.id);
export const allIds = (store: Store, kind = 'note'): Promise<readonly string[]> =>
  read(store, async (tx) => idsOf(await tx.list(kind, { where: { op: 'all' } })));

/** The ids of the rows that a question finds, in their order. */
export const asked = async (store: Store, where: Predicate, query: Omit<Query, 'where'> = {}): Promise<string> =>
  idsOf(await read(store, (tx) => tx.list('note', { where, ...query }))).join(' ');
