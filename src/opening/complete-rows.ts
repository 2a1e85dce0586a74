/** Completes rows that a release without some of the fields of this one has written: an earlier one, before an upgrade or beside it. */
import { cursor } from '../api/cursors.ts';
import { yieldToEventLoop } from '../concurrency/event-loop.ts';
import { type EntitiesContext, entitiesOf } from '../entities/entities.ts';
import { and, idAfter, oneOf, type Predicate, stringField } from '../query/index.ts';
import { completableRows, completedFields, completeRow } from '../read-cache/row-completion.ts';
import type { Row, Store, Transaction } from '../storage/port.ts';
import { crc32 } from '../wire/crc32.ts';

const PAGE = 500;
/** Number of changes after which a network that is opened again need not be looked through from where the last one stopped. */
const FAR_BEHIND = 100;

/** The cursor of the fields that this release completes: another release, with other fields, has another one. */
const CURSOR = `complete-rows/${crc32(new TextEncoder().encode(completedFields.join())).toString(16)}`;

/**
 * Completes what was written since a controller with the same fields opened the network, or everything. Runs before any call.
 * @returns the revision up to which all rows are complete
 */
export const keepRowsComplete = async (store: Store, context: EntitiesContext): Promise<number> => {
  const { revision, stored } = await store.transaction('read', async (tx) => ({
    revision: await tx.revision(),
    stored: await entitiesOf(tx, context).get(cursor, CURSOR),
  }));
  const after = stored?.revision ?? 0;
  await completeWrittenAfter(store, after, revision);
  if (stored && revision - after < FAR_BEHIND) return revision;
  await store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context);
    const row = await entities.get(cursor, CURSOR);
    if (!row) await entities.insert(cursor, { id: CURSOR, revision });
    else if ((row.revision ?? 0) < revision) await entities.update(cursor, row, { revision });
  });
  return revision;
};

/** As `keepRowsComplete`, for what opening the network has written itself. */
export const completeOpened = async (store: Store, after: number): Promise<number> => {
  const revision = await store.transaction('read', (tx) => tx.revision());
  await completeWrittenAfter(store, after, revision);
  return revision;
};

/** Completes the rows that were written after a revision, up to another one at least. If a newer release uses the store, that one does. */
export const completeWrittenAfter = async (store: Store, after: number, upTo: number, signal?: AbortSignal): Promise<void> => {
  if (upTo <= after || (await isAhead(store))) return;
  const options = signal ? { signal } : {};
  const written: Predicate = { op: 'compare', field: { path: ['version'], type: 'number' }, is: '>', value: after };
  const page = (where: Predicate, last?: string) => ({ where: and(idAfter(last), written, where), limit: PAGE });
  const first = completableRows.map(({ table, where }) => ({ read: 'list', kind: table, query: page(where) }) as const);
  const pages = await store.transaction('read', (tx) => tx.readAll(first), options);
  for (const [i, { table, where }] of completableRows.entries())
    for (let rows = pages[i] as readonly Row[]; ; ) {
      // the answer of a list
      const ids = rows.flatMap((row) => (completeRow(table, row) ? [row.id] : []));
      if (ids.length > 0) await store.transaction('write', (tx) => completeIn(tx, table, ids), options);
      if (rows.length < PAGE) break;
      await yieldToEventLoop();
      const last = rows.at(-1)?.id;
      rows = await store.transaction('read', (tx) => tx.list(table, page(where, last)), options);
    }
};

const isAhead = async (store: Store): Promise<boolean> => (await store.check?.())?.isAhead === true;

/**
 * Completes some rows, unless a newer release uses the store.
 * @returns the rows as they are then
 */
export const completeById = async (store: Store, table: string, ids: readonly string[], signal: AbortSignal): Promise<readonly Row[]> =>
  (await isAhead(store)) ? [] : store.transaction('write', (tx) => completeIn(tx, table, ids), { signal });

const completeIn = async (tx: Transaction, table: string, ids: readonly string[]): Promise<readonly Row[]> => {
  const rows = await tx.list(table, { where: oneOf(stringField('id'), ids) });
  const completed = rows.map((row) => completeRow(table, row) ?? row);
  // This does not count as a change of the entity: it keeps its version, and no change is recorded.
  for (const [i, row] of completed.entries()) if (row !== rows[i]) await tx.update(table, row, row.version);
  return completed;
};
