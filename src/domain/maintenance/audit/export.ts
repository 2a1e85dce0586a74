import type { audit } from '../../../api/audit.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import { changeId } from '../../../changelog/events.ts';
import { invalidField } from '../../../errors/index.ts';
import { and, type Ordering, type Predicate, stringField } from '../../../query/index.ts';
import { shownRecords } from '../../../resources/granted.ts';
import { LINES_TYPE } from '../../../wire/media-types.ts';
import { waitForMore } from '../changes/follow.ts';
import { boundedRecords, byRevision } from '../changes/page.ts';
import { planQuestions } from '../changes/questions.ts';
import { auditRecords } from './record.ts';

type Operation = typeof audit.operations.export;

/** Number of records per part. */
const PART = 50;
/** Number of characters after which a part ends: it stays in memory while its reader stalls. */
const PART_CHARACTERS = 262_144;

/** Streams the records that answer the questions, one per line. */
export const exportAudit = async (call: Call, { after, follow, ...questions }: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  const { order = 'oldest' } = questions;
  if (follow && order === 'newest') throw invalidField('follow', 'follow goes with the order oldest only', 'newest');
  const { where } = await call.read((entities) => planQuestions(entities, questions, call, order));
  const asked = after === undefined ? where : and(where, beyond('>', changeId(Math.max(after, 0))));
  return { contentType: LINES_TYPE, body: linesOf(call, asked, order, follow ?? false) };
};

const beyond = (is: Ordering, id: string): Predicate => ({ op: 'compare', field: stringField('id'), is, value: id });

async function* linesOf(
  call: Call,
  where: Predicate,
  order: 'newest' | 'oldest',
  follows: boolean,
): AsyncGenerator<string, void, undefined> {
  const { signal: closing } = call.core.logWatch;
  const sort = byRevision(order === 'newest');
  for (let rest = where; ; ) {
    // Each `readOn` checks the permission again; and identities may have gained rights.
    const { records, revision } = await call.readOn(async (entities) => {
      const shown = and(rest, await shownRecords(entities, call));
      const rows = await boundedRecords(entities, { where: shown, sort, limit: PART }, PART_CHARACTERS);
      return { records: await auditRecords(entities, rows), revision: await entities.revision() };
    });
    const last = records.at(-1);
    if (last) {
      yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
      rest = and(where, beyond(order === 'newest' ? '<' : '>', changeId(last.revision)));
    } else if (!follows) return;
    else {
      await waitForMore(call, revision);
      if (closing.aborted) return;
      call.signal.throwIfAborted();
      // What has been searched is not searched again: every write of the network wakes the stream.
      rest = and(where, beyond('>', changeId(revision)));
    }
  }
}
