/** Completes rows that a release without some of the fields of this one has written: an earlier one, before an upgrade or beside it. */

import { cursor } from '../../contract/api/cursors.ts';
import { crc32 } from '../../contract/wire/crc32.ts';
import { and, idAfter, oneOf, type Predicate, stringField } from '../../query/index.ts';
import { yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import { type EntitiesContext, entitiesOf } from '../../store/entities/entities.ts';
import { completableRows, completedFields, completeRow } from '../../store/read-cache/row-completion.ts';
import { UniqueViolation, ValueTooLong } from '../../store/storage/errors.ts';
import type { Row, Store, Transaction, TransactionOptions } from '../../store/storage/port.ts';

const PAGE = 500;
/** Number of changes after which a network that is opened again need not be looked through from where the last one stopped. */
const FAR_BEHIND = 100;

/** The cursor of the fields that this release completes: another release, with other fields, has another one. */
const CURSOR = `complete-rows/${crc32(new TextEncoder().encode(completedFields.join())).toString(16)}`;

/**
 * Completes what was written since a controller with the same fields opened the network, or everything. Runs before any call.
 * @returns the revision up to which all rows are complete
 */
export const keepRowsComplete = async (store: Store, context: EntitiesContext, refused: OnRefused): Promise<number> => {
  const { revision, stored } = await store.transaction('read', async (tx) => ({
    revision: await tx.revision(),
    stored: await entitiesOf(tx, context).get(cursor, CURSOR),
  }));
  const after = stored?.revision ?? 0;
  await completeWrittenAfter(store, after, revision, refused);
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
export const completeOpened = async (store: Store, after: number, refused: OnRefused): Promise<number> => {
  const revision = await store.transaction('read', (tx) => tx.revision());
  await completeWrittenAfter(store, after, revision, refused);
  return revision;
};

/** Completes the rows that were written after a revision, up to another one at least. If a newer release uses the store, that one does. */
export const completeWrittenAfter = async (
  store: Store,
  after: number,
  upTo: number,
  refused: OnRefused,
  options: Pick<TransactionOptions, 'signal'> = {},
): Promise<void> => {
  if (upTo <= after || (await isAhead(store))) return;
  const written: Predicate = { op: 'compare', field: { path: ['version'], type: 'number' }, is: '>', value: after };
  const page = (where: Predicate, last?: string) => ({ where: and(idAfter(last), written, where), limit: PAGE });
  const first = completableRows.map(({ table, where }) => ({ read: 'list', kind: table, query: page(where) }) as const);
  const pages = await store.transaction('read', (tx) => tx.readAll(first), options);
  for (const [i, { table, where }] of completableRows.entries())
    for (let rows = pages[i] as readonly Row[]; ; ) {
      // the answer of a list
      const ids = rows.flatMap((row) => (completeRow(table, row) ? [row.id] : []));
      if (ids.length > 0) await completeById(store, table, ids, refused, options);
      if (rows.length < PAGE) break;
      await yieldToEventLoop();
      const last = rows.at(-1)?.id;
      rows = await store.transaction('read', (tx) => tx.list(table, page(where, last)), options);
    }
};

/** True if a newer release uses the store, which completes its rows. */
export const isAhead = async (store: Store): Promise<boolean> => (await store.check?.())?.isAhead === true;

/** Called for a row that the store refuses once it is complete, and that stays as it is. */
export type OnRefused = (table: string, id: string, error: unknown) => void;

export const refusalLog = (platform: Pick<Platform, 'clock' | 'logger'>): OnRefused => {
  const log = createRepeatedLog(platform);
  return (kind, id, error) =>
    log('warn', 'a row of another release cannot be completed, and may not be found by some of its fields', {
      kind,
      id,
      error: String(error),
    });
};

/**
 * Completes some rows.
 * @returns the rows as they are then, without those that the store refuses
 */
export const completeById = async (
  store: Store,
  table: string,
  ids: readonly string[],
  refused: OnRefused,
  options: Pick<TransactionOptions, 'signal'>,
): Promise<readonly Row[]> => {
  const complete = (some: readonly string[]) => store.transaction('write', (tx) => completeIn(tx, table, some), options);
  try {
    return await complete(ids);
  } catch (error) {
    if (!(error instanceof ValueTooLong || error instanceof UniqueViolation)) throw error;
    const [first, ...others] = ids;
    if (first !== undefined && others.length === 0) refused(table, first, error);
  }
  if (ids.length === 1) return [];
  const rows: Row[] = [];
  for (const id of ids) rows.push(...(await completeById(store, table, [id], refused, options)));
  return rows;
};

export const completeIn = async (tx: Transaction, table: string, ids: readonly string[]): Promise<readonly Row[]> => {
  const rows = await tx.list(table, { where: oneOf(stringField('id'), ids) });
  const completed = rows.map((row) => completeRow(table, row) ?? row);
  // This does not count as a change of the entity: it keeps its version, and no change is recorded.
  for (const [i, row] of completed.entries()) if (row !== rows[i]) await tx.update(table, row, row.version);
  return completed;
};
