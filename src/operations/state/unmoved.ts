import type { Call } from '../../call/call.ts';
import { isVisible } from '../../call/resources/granted.ts';
import type { Change } from '../../contract/changes/events.ts';
import { explained } from '../../contract/errors/index.ts';
import { followLog } from '../../store/changelog/follow.ts';
import { recordsIn } from '../../store/entities/change-records.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { changedFields } from './difference.ts';
import { kindIn, sectionOf } from './lookup.ts';
import { declaredValues } from './values.ts';

/** Number of changes per page, and maximum number of pages. */
const PAGE = { size: 200, count: 50 } as const;

/**
 * Asserts that the configuration has not changed since a revision.
 * @throws ApiError `PRECONDITION_FAILED`
 */
export const assertUnmoved = async (entities: Entities, revision: number, call: Call): Promise<void> => {
  const moved = await movedSince(entities, revision, call);
  if (moved !== undefined) throw explained('PRECONDITION_FAILED', moved);
};

/**
 * Describes the first change of the configuration that documents declare since a revision; undefined if there is none. Other changes, such
 * as logins and reports of routers, are ignored.
 */
export const movedSince = async (entities: Entities, revision: number, call: Call): Promise<string | undefined> => {
  const now = call.now();
  const current = await entities.revision();
  if (revision > current)
    return `the plan is for revision ${revision}, but the network has revision ${current}: the plan is for another network`;
  let read = revision;
  for await (const { changes, missingUpTo } of followLog(recordsIn(entities), revision, { batch: PAGE.size, pages: PAGE.count })) {
    if (missingUpTo !== undefined) break;
    const change = changes.find((each) => isOfConfiguration(each, now));
    if (change)
      return `the plan is for revision ${revision}, and since then revision ${change.revision} changed ${await subjectOf(entities, change, call)}: plan again`;
    read += changes.length;
  }
  return read < current ? `too much has changed since revision ${revision} of the plan: plan again` : undefined;
};

/** Names the changed entity if the caller may see it. */
const subjectOf = async (entities: Entities, { entity, entityId }: Change, call: Call): Promise<string> => {
  const section = sectionOf(entity);
  return section && (await isVisible(entities, kindIn(section), entityId, call)) ? `the ${entity} ${entityId}` : 'the configuration';
};

/** True if documents before and after the change would differ. */
const isOfConfiguration = ({ entity, action, before, after }: Change, now: string): boolean => {
  const section = sectionOf(entity);
  if (!section) return false;
  const kind = kindIn(section);
  // Records do not contain such fields.
  const hasUnrecorded = Object.values(kind.fields).some(({ disclosable }) => disclosable);
  if (action !== 'update' || !before || !after || hasUnrecorded) return true;
  return changedFields(kind, declaredValues(kind, { ...before }, now), declaredValues(kind, { ...after }, now)).length > 0;
};
