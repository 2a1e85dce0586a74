import type { audit } from '../../../api/audit.ts';
import { change } from '../../../api/changes.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import { MAX_PAGE_SIZE, pageOf } from '../../../resources/lists.ts';
import { symbolsOfList } from '../../../resources/symbols.ts';
import { boundedRecords } from '../changes/page.ts';
import { planQuestions } from '../changes/questions.ts';
import { auditRecords } from './record.ts';

type Operation = typeof audit.operations.list;

/** A page of the audit. */
export const listAudit = (call: Call, input: DecodedOf<Operation>): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const planned = await planQuestions(entities, input, call);
    const plan = { ...planned, limit: Math.min(planned.limit, MAX_PAGE_SIZE) };
    const data = await auditRecords(entities, await boundedRecords(entities, plan));
    return pageOf(data, plan, await entities.count(change, plan.where), symbolsOfList(change, call));
  });
