import { nextPolicyEnd, openGrants } from '../../../api/grants-with-end.ts';
import { endCount, type identity, type servicePolicy } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { isAdministrator } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField } from '../../../errors/index.ts';
import { and, dateField, equals, oneOf, type Predicate, stringField } from '../../../query/index.ts';

/**
 * Maximum number of ends that one actor may set for one minute. Each end is a write at its time, which others may have to wait for. The ends are counted in the
 * store, so that waiting, restarts and other controllers do not help.
 */
export const MAX_ENDS = { administrator: 2500, other: 250 } as const;

/** Maximum number of later minutes that a refusal looks at for room. */
const MAX_MINUTES = 1000;
const MINUTE = dateField('minute');

/** The start of the minute of a time, or of one after it, as ISO text. */
const minuteOf = (time: string, later = 0): string => new Date((Math.floor(Date.parse(time) / 60_000) + later) * 60_000).toISOString();

/** The moments at which role attributes of an identity end: several attributes that end at one moment are one end. */
export const attributeEnds = (row: RowOf<typeof identity> | undefined): readonly string[] =>
  row ? openGrants(row).map(([, { validUntil }]) => validUntil) : [];

export const policyEnds = (row: RowOf<typeof servicePolicy> | undefined): readonly string[] => {
  const end = row ? nextPolicyEnd(row) : null;
  return end === null ? [] : [end];
};

/**
 * Counts the ends that a write adds to those of its row for the actor of the call.
 * @param field the field of the body that set them
 * @throws ApiError `COULD_NOT_VALIDATE` with the field if the actor has set too many for one minute
 */
export const countEnds = async (
  entities: Entities,
  call: Call,
  field: string,
  after: readonly string[],
  before: readonly string[],
): Promise<void> => {
  const known = new Set(before);
  const added = [...new Set(after)].filter((end) => !known.has(end));
  if (added.length === 0) return;
  const { actor } = call.attribution;
  const ofActor = equals(stringField('actor'), actor);
  const byMinute = Map.groupBy(added, (end) => minuteOf(end));
  const rows = await entities.list(endCount, { where: and(ofActor, oneOf(MINUTE, [...byMinute.keys()])) });
  const counted = new Map(rows.map((row) => [row.minute, row]));
  const max = MAX_ENDS[isAdministrator(call.actor) ? 'administrator' : 'other'];
  for (const [minute, { length }] of byMinute) {
    const row = counted.get(minute);
    const ends = (row?.ends ?? 0) + length;
    if (ends > max) throw await tooMany(entities, { ofActor, field, minute, length, max });
    if (row) await entities.update(endCount, row, { ends });
    else await entities.insert(endCount, { actor, minute, ends });
  }
  await removePast(entities, call.now(), byMinute.size - rows.length);
};

interface Excess {
  readonly ofActor: Predicate;
  readonly field: string;
  readonly minute: string;
  readonly length: number;
  readonly max: number;
}

const tooMany = async (entities: Entities, { ofActor, field, minute, length, max }: Excess) => {
  const later = { op: 'compare', field: MINUTE, is: '>', value: minute } as const;
  const rows = await entities.list(endCount, { where: and(ofActor, later), limit: MAX_MINUTES });
  const full = new Set(rows.flatMap((row) => ((row.ends ?? 0) + length > max ? [row.minute] : [])));
  let free = minute;
  while (free === minute || full.has(free)) free = minuteOf(free, 1);
  return invalidField(
    field,
    `one actor may set at most ${max} ends of grants for one minute, also counting those changed or removed since, and ${length} more would exceed this for ${minute}: the next minute with room for them is ${free}`,
    minute,
  );
};

/** Removes more counts of past minutes than were inserted, so that they do not accumulate. */
const removePast = async (entities: Entities, now: string, inserted: number): Promise<void> => {
  if (inserted === 0) return;
  const past = { op: 'compare', field: MINUTE, is: '<', value: minuteOf(now) } as const;
  for (const row of await entities.list(endCount, { where: past, limit: inserted + 1 })) await entities.remove(endCount, row);
};
