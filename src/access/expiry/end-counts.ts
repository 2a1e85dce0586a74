import { isAdministrator } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { nextPolicyEnd, openGrants } from '../../contract/api/grants-with-end.ts';
import { endCount, type identity, type servicePolicy } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { and, dateField, equals, oneOf, type Predicate, stringField } from '../../query/index.ts';
import { isoTime, MINUTE } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';

/**
 * Maximum number of ends that one actor may set for one minute. Each end causes a write, for which other writers may wait. Ends are counted
 * in the store, so the limit cannot be bypassed by waiting, restarting, or using another controller.
 */
export const MAX_ENDS = { administrator: 2500, other: 250 } as const;

/** Maximum number of later minutes that are searched for a free one, to suggest it. */
const MAX_MINUTES = 1000;
const MINUTE_FIELD = dateField('minute');

/**
 * The start of the minute of a time, as ISO text.
 * @param offset minutes to add
 */
const minuteOf = (time: string, offset = 0): string => isoTime((Math.floor(Date.parse(time) / MINUTE) + offset) * MINUTE);

/** The ends of the open grants of an identity, as ISO text. Equal ones are counted once. */
export const attributeEnds = (row: RowOf<typeof identity> | undefined): readonly string[] =>
  row ? openGrants(row).map(([, { validUntil }]) => validUntil) : [];

export const policyEnds = (row: RowOf<typeof servicePolicy> | undefined): readonly string[] => {
  const end = row ? nextPolicyEnd(row) : null;
  return end === null ? [] : [end];
};

/**
 * Adds the ends that a write introduces to the counts of the actor.
 * @param field the field of the body that contains the ends
 * @throws ApiError `COULD_NOT_VALIDATE` with the field if the actor has set too many for one minute
 */
export const countEnds = async (
  entities: Entities,
  call: Call,
  field: string,
  after: readonly string[],
  before: readonly string[],
): Promise<void> => {
  const previous = new Set(before);
  const added = [...new Set(after)].filter((end) => !previous.has(end));
  if (added.length === 0) return;
  const { actor } = call.attribution;
  const ofActor = equals(stringField('actor'), actor);
  const byMinute = Map.groupBy(added, (end) => minuteOf(end));
  const rows = await entities.list(endCount, { where: and(ofActor, oneOf(MINUTE_FIELD, [...byMinute.keys()])) });
  const counted = new Map(rows.map((row) => [row.minute, row]));
  const max = MAX_ENDS[isAdministrator(call.actor) ? 'administrator' : 'other'];
  for (const [minute, { length }] of byMinute) {
    const row = counted.get(minute);
    const ends = (row?.ends ?? 0) + length;
    if (ends > max) throw await tooMany(entities, { ofActor, field, minute, length, max });
    if (row) await entities.update(endCount, row, { ends });
    else await entities.insert(endCount, { actor, minute, ends });
  }
  await removePastCounts(entities, call.now(), byMinute.size - rows.length);
};

interface ExceededLimit {
  readonly ofActor: Predicate;
  readonly field: string;
  readonly minute: string;
  readonly length: number;
  readonly max: number;
}

const tooMany = async (entities: Entities, { ofActor, field, minute, length, max }: ExceededLimit) => {
  const later = { op: 'compare', field: MINUTE_FIELD, is: '>', value: minute } as const;
  const rows = await entities.list(endCount, { where: and(ofActor, later), limit: MAX_MINUTES });
  const full = new Set(rows.flatMap((row) => ((row.ends ?? 0) + length > max ? [row.minute] : [])));
  let free = minute;
  while (free === minute || full.has(free)) free = minuteOf(free, 1);
  return invalidField(
    field,
    `an actor may set at most ${max} ends of grants for one minute, including ends that were later changed or removed: ${length} more would exceed the limit for ${minute}; the next free minute is ${free}`,
    minute,
  );
};

/** Removes more counts of past minutes than were inserted, so that they do not accumulate. */
const removePastCounts = async (entities: Entities, now: string, inserted: number): Promise<void> => {
  if (inserted === 0) return;
  const past = { op: 'compare', field: MINUTE_FIELD, is: '<', value: minuteOf(now) } as const;
  for (const row of await entities.list(endCount, { where: past, limit: inserted + 1 })) await entities.remove(endCount, row);
};
