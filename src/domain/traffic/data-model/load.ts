import { kinds } from '../../../api/kinds.ts';
import type { Entities } from '../../../changes/entities.ts';
import type { ChangedRow } from '../../../changes/events.ts';
import { yieldToEventLoop } from '../../../concurrency/event-loop.ts';
import { idAfter } from '../../../query/index.ts';
import { DataModel } from './model.ts';
import { type HeldKind, heldKinds } from './model-rows.ts';

/** Rows that are read at a time. */
const BATCH = 500;

/** The model of one state of the store, and the revision of that state. */
export const loadDataModel = async (
  entities: Entities,
  signal: AbortSignal,
): Promise<{ readonly model: DataModel; readonly index: number }> => {
  const model = new DataModel();
  const index = await entities.revision();
  for (const kind of heldKinds) await loadKind(entities, model, kind, signal);
  return { model, index };
};

const loadKind = async (entities: Entities, model: DataModel, kind: HeldKind, signal: AbortSignal): Promise<void> => {
  for (let last: string | undefined, more = true; more; ) {
    const rows = (await entities.list(kinds[kind], { where: idAfter(last), limit: BATCH })) as readonly ChangedRow<typeof kind>[]; // a stored row has all that an event says of it
    for (const row of rows) model.put(kind, row);
    last = rows.at(-1)?.id;
    more = rows.length === BATCH;
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
};
