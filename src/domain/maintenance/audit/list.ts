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

/** Number of records read at a time. */
const BATCH = 50;
/** Number of characters after which a page ends: a change may take two megabytes. */
const PAGE_CHARACTERS = 8_388_608;

/** A page of the audit. */
export const listAudit = (call: Call, input: DecodedOf<Operation>): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const planned = await planQuestions(entities, input, call);
    const plan = { ...planned, limit: Math.min(planned.limit, MAX_PAGE_SIZE) };
    const data = await auditRecords(entities, await boundedRows(entities, plan));
    return pageOf(data, plan, await entities.count(change, plan.where), symbolsOfList(change, call));
  });

/** The rows of a page, or fewer if they are large. */
export const boundedRows = async (entities: Entities, { where, sort, limit, offset }: ListPlan): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (let size = 0, isOver = false; !isOver && rows.length < limit; ) {
    const query = { where, sort, offset: offset + rows.length, limit: Math.min(limit - rows.length, BATCH) };
    const batch = await entities.list(change, query);
    rows.push(...batch);
    isOver = batch.length < BATCH || (size += JSON.stringify(batch).length) > PAGE_CHARACTERS;
  }
  return rows;
};
