import { audit } from '../../../api/audit.ts';
import type { OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import { hashAfter } from '../../../changelog/chain.ts';
import { endOfLog } from '../../../changelog/queries.ts';
import { recordsIn } from '../../../entities/change-records.ts';
import { notFound } from '../../../errors/index.ts';
import { exportAudit } from './export.ts';
import { listAudit } from './list.ts';
import { verifyAudit } from './verify.ts';

/** The last record of the log. The log of a network is never empty. */
const auditHead = (call: Call): Promise<OutputOf<typeof audit.operations.head>> =>
  call.read(async (entities) => {
    const [last] = await recordsIn(entities)(endOfLog('newest'));
    if (!last) throw notFound('change', 'newest');
    return { revision: last.version, hash: hashAfter(last), at: last.createdAt };
  });

export const auditEntries = implement(audit, { list: listAudit, export: exportAudit, head: auditHead, verify: verifyAudit });
