/** Operations that take the last change back, in one transaction. */
import { type BatchedOperation, versionOf } from '../../client/index.ts';
import { type Entity, entityApi, type KindView } from './kinds.ts';
import { literal } from './literal.ts';
import type { Rights } from './rights.ts';
import { client } from './session.ts';
import { texts } from './texts.ts';

export interface Undo {
  readonly operations: readonly BatchedOperation[];
  /** Undo only what nobody has changed since: the revision after the change. */
  readonly ifRevision?: number;
  /** Said before, such as what is not restored. */
  readonly text?: string;
}

/** The revisions of the network before and after a change; the one before is unknown if the change could not be previewed. */
export interface Revisions {
  readonly before: number | undefined;
  readonly after: number;
}

/** Entities of one kind. */
interface OfKind {
  readonly kind: KindView;
  readonly entities: readonly Entity[];
}

/**
 * The operations that bring entities back to what they were at a revision; undefined if that is unknown, if the session may not, or if
 * the changes of a kind are not recorded.
 */
export const revertsTo = (
  { may }: Rights,
  changed: readonly OfKind[],
  revision: number | undefined,
): readonly BatchedOperation[] | undefined => {
  const mayRevert = may('history', 'revert') && may('batch', 'run') && changed.every(({ kind }) => kind.kind !== undefined);
  if (revision === undefined || !mayRevert) return undefined;
  return changed.flatMap(({ kind: { kind }, entities }) =>
    entities.map(({ id }) => ({ operation: 'history.revert', input: { kind, id, body: { revision } } })),
  );
};

const currentVersion = async (group: string, id: string): Promise<number | undefined> =>
  versionOf(
    await entityApi(group)
      .get({ id })
      .catch(() => ({ id })),
  );

/**
 * The undo of a saved change of an entity.
 * @param was the entity before
 * @param before the version that was changed
 * @param body the fields that were set
 */
export const undoOfChange = async (
  rights: Rights,
  kind: KindView,
  was: Entity,
  before: number | undefined,
  body: object,
): Promise<Undo | 'none'> => {
  const { id } = was;
  if (!rights.may('history', 'revert')) return undoByPatch(rights, kind, was, body);
  const operations = revertsTo(rights, [{ kind, entities: [{ id }] }], before);
  const after = operations && rights.may('history', 'list') ? await onlyChangeSince(kind, id, before) : undefined;
  return operations && after !== undefined ? { operations, ifRevision: after } : 'none';
};

/** The revision of the only change of an entity since a version; undefined if someone else has changed it, too: an undo would be of both. */
const onlyChangeSince = async ({ kind }: KindView, id: string, version = 0): Promise<number | undefined> => {
  if (!kind) return undefined;
  const { data } = await client.history.list({ kind, id, limit: 2 }).catch(() => ({ data: [] }));
  const [last, previous] = data;
  return last && last.revision > version && (previous?.revision ?? 0) <= version ? last.revision : undefined;
};

/**
 * The undo of a saved change for those who may not revert: the fields that it set, as they were, by the right that saved them.
 * @param body the fields that were set
 */
const undoByPatch = async (rights: Rights, { group }: KindView, was: Entity, body: object): Promise<Undo | 'none'> => {
  const fields = Object.keys(body).map((name) => [name, was[name]] as const);
  // A field without a value may be one that cannot be cleared, or a secret that is not shown.
  if (!rights.may('batch', 'run') || fields.some(([, value]) => value === undefined || value === null)) return 'none';
  const current = await entityApi(group)
    .get({ id: was.id })
    .catch(() => undefined);
  const ifVersion = current && rights.mayOn(group, 'patch', current) ? versionOf(current) : undefined;
  if (ifVersion === undefined) return 'none';
  return { operations: [{ operation: `${group}.patch`, input: { id: was.id, body: literal(Object.fromEntries(fields)) }, ifVersion }] };
};

/** The undo of a creation: a deletion of the entity, unless it has been changed since. */
export const undoOfCreation = async ({ may }: Rights, { group }: KindView, id: string): Promise<Undo | 'none'> => {
  const ifVersion = may(group, 'delete') && may('batch', 'run') ? await currentVersion(group, id) : undefined;
  return ifVersion === undefined ? 'none' : { operations: [{ operation: `${group}.delete`, input: { id }, ifVersion }] };
};

/** The undo of a deletion. */
export const undoOfDeletion = (rights: Rights, kind: KindView, entity: Entity): Undo | 'none' => {
  const operations = revertsTo(rights, [{ kind, entities: [entity] }], versionOf(entity));
  return operations ? { operations, text: texts.undo.recreates } : 'none';
};
