import type { Call } from '../../../call/call.ts';
import type { Change } from '../../../changelog/events.ts';
import { followLog } from '../../../changelog/follow.ts';
import { recordsIn } from '../../../entities/change-records.ts';
import type { Entities } from '../../../entities/entities.ts';
import { explained } from '../../../errors/index.ts';
import { isVisible } from '../../../resources/granted.ts';
import { changedFields } from './difference.ts';
import { kindIn, sectionOf } from './lookup.ts';
import { declaredValues } from './values.ts';

/** Number of changes read at a time, and of such pages at most. */
const PAGE = { size: 200, count: 50 } as const;

/** Asserts that the configuration has not changed since a revision. @throws ApiError `PRECONDITION_FAILED` */
export const assertUnmoved = async (entities: Entities, revision: number, call: Call): Promise<void> => {
  const moved = await movedSince(entities, revision, call);
  if (moved !== undefined) throw explained('PRECONDITION_FAILED', moved);
};

/**
 * How the configuration, as documents declare it, has changed since a revision; undefined if it has not. Logins, reports of routers and the like draw
 * revisions, too, but do not count.
 */
export const movedSince = async (entities: Entities, revision: number, call: Call): Promise<string | undefined> => {
  const now = call.now();
  const current = await entities.revision();
  if (revision > current) return `the plan is for revision ${revision}, and the network has ${current}: it is of another network`;
  let read = revision;
  for await (const { changes, missingUpTo } of followLog(recordsIn(entities), revision, { batch: PAGE.size, pages: PAGE.count })) {
    if (missingUpTo !== undefined) break;
    const change = changes.find((each) => isOfConfiguration(each, now));
    if (change)
      return `the plan is for revision ${revision}, and since then revision ${change.revision} changed ${await subjectOf(entities, change, call)}: plan again`;
    read += changes.length;
  }
  return read < current ? `too much has changed since revision ${revision}, for which the plan is: plan again` : undefined;
};

/** What changed, as far as the caller may see it. */
const subjectOf = async (entities: Entities, { entity, entityId }: Change, call: Call): Promise<string> => {
  const section = sectionOf(entity);
  return section && (await isVisible(entities, kindIn(section), entityId, call)) ? `the ${entity} ${entityId}` : 'the configuration';
};

/** True if documents before and after the change would differ. */
const isOfConfiguration = ({ entity, action, before, after }: Change, now: string): boolean => {
  const section = sectionOf(entity);
  if (!section) return false;
  const kind = kindIn(section);
  // Records do not show such fields.
  const hasUnrecorded = Object.values(kind.fields).some(({ disclosable }) => disclosable);
  if (action !== 'update' || !before || !after || hasUnrecorded) return true;
  return changedFields(kind, declaredValues(kind, { ...before }, now), declaredValues(kind, { ...after }, now)).length > 0;
};
