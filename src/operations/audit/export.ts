import type { Call } from '../../call/call.ts';
import { shownRecords } from '../../call/resources/granted.ts';
import type { audit } from '../../contract/api/audit.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { changeId } from '../../contract/changes/events.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { LINES_TYPE } from '../../contract/wire/media-types.ts';
import { and, type Ordering, type Predicate, stringField } from '../../query/index.ts';
import { waitForMore } from '../changes/follow.ts';
import { boundedRecords, byRevision } from '../changes/page.ts';
import { planQuestions } from '../changes/questions.ts';
import { auditRecords } from './record.ts';

type Operation = typeof audit.operations.export;

/** Maximum number of records per chunk. */
const CHUNK_RECORDS = 50;
/** Number of characters after which a chunk ends, because it stays in memory while its reader stalls. */
const CHUNK_CHARACTERS = 262_144;

/** Streams the matching records, one per line. */
export const exportAudit = async (call: Call, { after, follow, ...questions }: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  const { order = 'oldest' } = questions;
  if (follow && order === 'newest') throw invalidField('follow', 'follow requires the order oldest', 'newest');
  const { where } = await call.read((entities) => planQuestions(entities, questions, call, order));
  const matching = after === undefined ? where : and(where, compareId('>', changeId(Math.max(after, 0))));
  return { contentType: LINES_TYPE, body: linesOf(call, matching, order, follow ?? false) };
};

const compareId = (is: Ordering, id: string): Predicate => ({ op: 'compare', field: stringField('id'), is, value: id });

async function* linesOf(
  call: Call,
  where: Predicate,
  order: 'newest' | 'oldest',
  follows: boolean,
): AsyncGenerator<string, void, undefined> {
  const { signal: closing } = call.core.logWatch;
  const sort = byRevision(order === 'newest');
  for (let remaining = where; ; ) {
    // The visible records are computed again, too, because identities may have gained rights.
    const { records, revision } = await call.readReauthorized(async (entities) => {
      const visible = and(remaining, await shownRecords(entities, call));
      const rows = await boundedRecords(entities, { where: visible, sort, limit: CHUNK_RECORDS }, CHUNK_CHARACTERS);
      return { records: await auditRecords(entities, rows), revision: await entities.revision() };
    });
    const last = records.at(-1);
    if (last) {
      yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
      remaining = and(where, compareId(order === 'newest' ? '<' : '>', changeId(last.revision)));
    } else if (!follows) return;
    else {
      await waitForMore(call, revision);
      if (closing.aborted) return;
      call.signal.throwIfAborted();
      // Every write wakes the stream, so records that were searched must not be searched again.
      remaining = and(where, compareId('>', changeId(revision)));
    }
  }
}
