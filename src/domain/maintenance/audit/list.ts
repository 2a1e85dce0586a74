import type { audit } from '../../../api/audit.ts';
import { change } from '../../../api/changes.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { type ListPlan, MAX_PAGE_SIZE, pageOf } from '../../../resources/lists.ts';
import { symbolsOfList } from '../../../resources/symbols.ts';
import type { Row } from '../../../storage/port.ts';
import { planQuestions } from '../changes/questions.ts';
import { auditRecords } from './record.ts';

type Operation = typeof audit.operations.list;

/** Numbers of records read at a time: a change may take two megabytes. */
const BATCH = { first: 10, max: 50 } as const;
/** Number of characters of a batch, unless its first record has more. */
const BATCH_CHARACTERS = 1_048_576;
/** Number of characters after which a page ends. */
const PAGE_CHARACTERS = 8_388_608;

/** A page of the audit. */
export const listAudit = (call: Call, input: DecodedOf<Operation>): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const planned = await planQuestions(entities, input, call);
    const plan = { ...planned, limit: Math.min(planned.limit, MAX_PAGE_SIZE) };
    const data = await auditRecords(entities, await boundedRows(entities, plan));
    return pageOf(data, plan, await entities.count(change, plan.where), symbolsOfList(change, call));
  });

/** The rows of a page, or fewer if they are large. @param characters of JSON, after which the page ends */
export const boundedRows = async (
  entities: Entities,
  { where, sort, limit, offset }: ListPlan,
  characters = PAGE_CHARACTERS,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  let batch: number = BATCH.first;
  for (let size = 0, isOver = false; !isOver && rows.length < limit; ) {
    const asked = Math.min(limit - rows.length, batch);
    const found = await entities.list(change, { where, sort, offset: offset + rows.length, limit: asked });
    rows.push(...found);
    size += JSON.stringify(found).length;
    isOver = found.length < asked || size > characters;
    batch = Math.max(1, Math.min(BATCH.max, Math.floor((BATCH_CHARACTERS * rows.length) / size)));
  }
  return rows;
};
