import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { MAX_PAGE_SIZE, pageOf } from '../../call/resources/lists.ts';
import { symbolsOfList } from '../../call/resources/symbols.ts';
import { audit } from '../../contract/api/audit.ts';
import { change } from '../../contract/api/changes.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { notFound } from '../../contract/errors/index.ts';
import { hashAfter } from '../../store/changelog/chain.ts';
import { endOfLog } from '../../store/changelog/queries.ts';
import { recordsIn } from '../../store/entities/change-records.ts';
import { boundedRecords } from '../changes/page.ts';
import { planQuestions } from '../changes/questions.ts';
import { exportAudit } from './export.ts';
import { auditRecords } from './record.ts';
import { verifyAudit } from './verify.ts';

type Operation = typeof audit.operations.list;

const listAudit = (call: Call, input: DecodedOf<Operation>): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const planned = await planQuestions(entities, input, call);
    const plan = { ...planned, limit: Math.min(planned.limit, MAX_PAGE_SIZE) };
    const data = await auditRecords(entities, await boundedRecords(entities, plan));
    return pageOf(data, plan, await entities.count(change, plan.where), symbolsOfList(change, call));
  });

/** The head of the log: its last record. The log of a network is never empty. */
const auditHead = (call: Call): Promise<OutputOf<typeof audit.operations.head>> =>
  call.read(async (entities) => {
    const [last] = await recordsIn(entities)(endOfLog('newest'));
    if (!last) throw notFound('change', 'newest');
    return { revision: last.version, hash: hashAfter(last), at: last.createdAt };
  });

export const auditEntries = implement(audit, { list: listAudit, export: exportAudit, head: auditHead, verify: verifyAudit });
