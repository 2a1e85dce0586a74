import type { Call } from '../../call/call.ts';
import { change } from '../../contract/api/changes.ts';
import { type ChangedKind, changeId, isChangedKind } from '../../contract/changes/events.ts';
import { ApiError, invalidField } from '../../contract/errors/index.ts';
import { revisionAt } from '../../store/changelog/follow.ts';
import { extentOf } from '../../store/changelog/log.ts';
import { recordsIn } from '../../store/entities/change-records.ts';
import type { Entities } from '../../store/entities/entities.ts';

/**
 * Checks that the log contains all changes after a revision.
 * @param name of the parameter, for errors
 * @throws ApiError `CURSOR_EXPIRED`; `COULD_NOT_VALIDATE` for a revision beyond the end of the log, which must come from another database
 */
export const checkedCursor = async (entities: Entities, name: string, revision: number): Promise<number> => {
  const after = Math.max(revision, 0);
  const read = recordsIn(entities);
  const newest = await revisionAt(read, 'newest');
  if (after > newest) throw invalidField(name, `${name} must be at most ${newest}, the revision of the last change, got ${after}`, after);
  const oldest = await revisionAt(read, 'oldest');
  if (after < oldest - 1) throw cursorExpired(after, oldest - 1);
  return after;
};

export const cursorExpired = (after: number, earliest: number): ApiError =>
  new ApiError('CURSOR_EXPIRED', {
    cause: {
      message: `the changes ${after + 1} to ${earliest} have left the change log: read the entities again, and continue from there`,
      earliest,
    },
  });

/**
 * Maximum changes since the revision of a snapshot while a client reads it. Each stream keeps the former states of changed entities in
 * memory.
 */
const MAX_BEHIND = { changes: 20_000, bytes: 33_554_432 } as const;

/**
 * Checks that the network has not changed too much since the revision of a snapshot. The host itself has no such limit.
 * @throws ApiError `CURSOR_EXPIRED`
 */
export const assertRecentSnapshot = async (entities: Entities, revision: number, { actor }: Pick<Call, 'actor'>): Promise<void> => {
  if (actor.kind === 'system') return;
  const newest = await entities.revision();
  const end = extentOf(await entities.get(change, changeId(newest)));
  const then = extentOf(await entities.get(change, changeId(revision)));
  const bytes = end === undefined ? 0 : end.endsAt - (then?.endsAt ?? end.oldestBeginsAt);
  if (newest - revision <= MAX_BEHIND.changes && bytes <= MAX_BEHIND.bytes) return;
  const message = `the network has changed too much since the snapshot of revision ${revision}: request another snapshot`;
  throw new ApiError('CURSOR_EXPIRED', { cause: { message, earliest: newest } });
};

/**
 * The requested kinds, or undefined for all kinds.
 * @throws ApiError `COULD_NOT_VALIDATE`
 */
export const checkedKinds = (kinds: readonly string[] = []): ReadonlySet<ChangedKind> | undefined => {
  const knownKinds = kinds.filter(isChangedKind);
  const unknownKind = kinds.find((kind) => !isChangedKind(kind));
  if (unknownKind !== undefined)
    throw invalidField('kinds', 'kinds must be kinds of entities that have changes, e.g. identity', unknownKind);
  return knownKinds.length === 0 ? undefined : new Set(knownKinds);
};
