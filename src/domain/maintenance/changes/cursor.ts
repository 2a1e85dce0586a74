import { change } from '../../../api/changes.ts';
import type { Call } from '../../../call/call.ts';
import { type ChangedKind, changeId, isChangedKind } from '../../../changelog/events.ts';
import { revisionAt } from '../../../changelog/follow.ts';
import { extentOf } from '../../../changelog/log.ts';
import { recordsIn } from '../../../entities/change-records.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError, invalidField } from '../../../errors/index.ts';

/**
 * Checks that the log contains all changes after a revision.
 * @param name the name of the parameter, for errors
 * @throws ApiError `CURSOR_EXPIRED`; `COULD_NOT_VALIDATE` for a revision beyond the end of the log, which must come from another database
 */
export const checkedCursor = async (entities: Entities, name: string, given: number): Promise<number> => {
  const after = Math.max(given, 0);
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

/** How far the network may move on while a client reads a snapshot: what was changed since then is kept in memory, once for each stream. */
const MAX_BEHIND = { changes: 20_000, bytes: 33_554_432 } as const;

/** Checks that the network has not moved on too far since a revision. The host itself has no such limit. @throws ApiError `CURSOR_EXPIRED` */
export const assertNear = async (entities: Entities, revision: number, { actor }: Pick<Call, 'actor'>): Promise<void> => {
  if (actor.kind === 'system') return;
  const newest = await entities.revision();
  const end = extentOf(await entities.get(change, changeId(newest)));
  const then = extentOf(await entities.get(change, changeId(revision)));
  const bytes = end === undefined ? 0 : end.endsAt - (then?.endsAt ?? end.oldestBeginsAt);
  if (newest - revision <= MAX_BEHIND.changes && bytes <= MAX_BEHIND.bytes) return;
  const message = `the network has changed too much since the snapshot of revision ${revision}: begin another one`;
  throw new ApiError('CURSOR_EXPIRED', { cause: { message, earliest: newest } });
};

/** The requested kinds, or undefined for all kinds. @throws ApiError `COULD_NOT_VALIDATE` */
export const checkedKinds = (kinds: readonly string[] = []): ReadonlySet<ChangedKind> | undefined => {
  const knownKinds = kinds.filter(isChangedKind);
  const unknownKind = kinds.find((kind) => !isChangedKind(kind));
  if (unknownKind !== undefined)
    throw invalidField('kinds', 'kinds must hold kinds of entities that have changes, e.g. identity', unknownKind);
  return knownKinds.length === 0 ? undefined : new Set(knownKinds);
};
