/** Actions on several entities of a kind in one transaction. */
import type { BatchedOperation } from '../../client/index.ts';
import { remoteOperations } from '../../client/operations.ts';
import type { Entity, KindView } from './kinds.ts';
import { literal } from './literal.ts';
import { readByIds } from './matching.ts';
import { formsOf } from './schema.ts';
import type { Session } from './session.ts';
import { texts } from './texts.ts';
import { type Revisions, revertsTo, type Undo } from './undo.ts';

/** The number of operations that the controller carries out in one transaction. */
export const MAX_BULK = 1000;

export interface BulkAction {
  readonly name: keyof typeof texts.bulk.actions;
  readonly verb: string;
  /** The body of each operation; undefined for an operation without one. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** True if role attributes are entered first, which the body then has. */
  readonly takesAttributes?: true;
  /** The field that the action sets, with its value: entities that had it before are left alone when the action is undone. */
  readonly sets?: readonly [field: string, value: boolean];
}

const FOREVER = { durationMinutes: 0 };

/** All actions, in the order of their buttons. A kind has those whose operations it has. */
const ACTIONS: readonly BulkAction[] = [
  { name: 'enable', verb: 'enable', sets: ['disabled', false] },
  { name: 'disable', verb: 'disable', body: FOREVER, sets: ['disabled', true] },
  { name: 'addAttributes', verb: 'addRoleAttributes', takesAttributes: true },
  { name: 'removeAttributes', verb: 'removeRoleAttributes', takesAttributes: true },
  { name: 'delete', verb: 'delete' },
];

/** The actions of kinds that are enabled and disabled by a field of theirs. */
const switchesOf = (session: Session, group: string): readonly BulkAction[] => {
  const flags = formsOf(session, group, 'patch').flatMap(({ fields }) => fields.filter(({ entry }) => entry === 'flag'));
  return flags.flatMap(({ name }): readonly BulkAction[] => {
    if (name !== 'disabled' && name !== 'enabled') return [];
    const action = (isEnabling: boolean): BulkAction => {
      const value = isEnabling === (name === 'enabled');
      return { name: isEnabling ? 'enable' : 'disable', verb: 'patch', body: { [name]: value }, sets: [name, value] };
    };
    return [action(true), action(false)];
  });
};

/** The actions that the session may carry out on several entities of a kind. */
export const bulkActionsOf = (session: Session, { group }: KindView): readonly BulkAction[] => {
  if (!session.may('batch', 'run')) return [];
  const own = ACTIONS.filter(({ verb }) => remoteOperations[group]?.[verb]);
  const all = own.some(({ name }) => name === 'enable') ? own : [...switchesOf(session, group), ...own];
  return all.filter(({ verb }) => session.may(group, verb));
};

/** True if the session may carry an action out on an entity. */
export const mayCarryOut = (session: Session, { group }: KindView, { verb, takesAttributes }: BulkAction, entity: Entity): boolean =>
  session.mayOn(group, verb, entity) && (takesAttributes === true || entity['isDefaultAdmin'] !== true);

export const operationsOf = ({ group }: KindView, { verb, body }: BulkAction, entities: readonly Entity[]): readonly BatchedOperation[] =>
  entities.map(({ id }) => ({ operation: `${group}.${verb}`, input: { id, ...(body === undefined ? {} : { body: literal(body) }) } }));

/** The entities that an action changes, as they are now: others may have done the same to some of them since they were selected. */
export const changedBy = async (kind: KindView, { sets }: BulkAction, entities: readonly Entity[]): Promise<readonly Entity[]> => {
  if (!sets) return entities;
  const [field, value] = sets;
  const present = await readByIds(
    kind.group,
    entities.map(({ id }) => id),
  );
  return present.filter((entity) => entity[field] !== value);
};

/**
 * The operations that take an action back.
 * @param changed the entities that it has changed
 * @param revisions those of the network before and after it
 */
export const undoOf = (
  session: Session,
  kind: KindView,
  { verb, sets }: BulkAction,
  changed: readonly Entity[],
  { before, after }: Revisions,
): Undo | 'none' => {
  // Enabling and disabling by operations of their own leaves no field to restore.
  const opposite = verb === 'patch' ? undefined : ACTIONS.find((each) => sets && each.sets?.[0] === sets[0] && each.sets[1] !== sets[1]);
  const operations = opposite ? operationsOf(kind, opposite, changed) : revertsTo(session, [{ kind, entities: changed }], before);
  if (!operations || operations.length === 0) return 'none';
  return { operations, ...(verb === 'delete' ? { text: texts.undo.recreates } : { ifRevision: after }) };
};
