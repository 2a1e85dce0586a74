import { type ChangedKind, isChangedKind } from '../../../changelog/events.ts';
import { revisionAt } from '../../../changelog/follow.ts';
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

/** The requested kinds, or undefined for all kinds. @throws ApiError `COULD_NOT_VALIDATE` */
export const checkedKinds = (kinds: readonly string[] = []): ReadonlySet<ChangedKind> | undefined => {
  const knownKinds = kinds.filter(isChangedKind);
  const unknownKind = kinds.find((kind) => !isChangedKind(kind));
  if (unknownKind !== undefined)
    throw invalidField('kinds', 'kinds must hold kinds of entities that have changes, e.g. identity', unknownKind);
  return knownKinds.length === 0 ? undefined : new Set(knownKinds);
};
