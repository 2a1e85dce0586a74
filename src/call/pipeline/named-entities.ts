import type { Operation } from '../../contract/api/kit/operation.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { notFound } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { assertNotProtected } from '../authentication/protected-identities.ts';
import type { Call } from '../call.ts';
import { isLimited } from '../grant.ts';
import { isForSomebody } from '../resources/credential-fields.ts';
import { coveredIds, isOnKind, isVisible } from '../resources/granted.ts';
import { namedIn } from './named-kinds.ts';

/** The entities that a call names in its path. */
export interface NamedEntities {
  readonly all: readonly { readonly parameter: string; readonly kind: Kind; readonly id: string }[];
  /** The kind of the entity that `{id}` identifies; undefined if there is none. */
  readonly kind: Kind | undefined;
  /** Reads that entity. */
  load(entities: Entities): Promise<Row | undefined>;
}

export const entitiesNamedBy = (operation: Operation, input: unknown): NamedEntities => {
  const ids = input as Readonly<Record<string, string>>; // the path parameters, if the operation has any
  const all = namedIn(operation).map(([parameter, kind]) => ({ parameter, kind, id: ids[parameter] ?? '' }));
  const target = all.find(({ parameter }) => parameter === 'id');
  return { all, kind: target?.kind, load: async (entities) => target && entities.get(target.kind, target.id) };
};

/**
 * Asserts that the entities that a call names are within its grant.
 * @param target the one that `{id}` identifies
 * @throws ApiError `NOT_FOUND` for one that is not; `UNAUTHORIZED` for one that the grant must not affect
 */
export const assertCovered = async (entities: Entities, call: Call, named: NamedEntities, target: Row | undefined): Promise<void> => {
  const { grant, operation } = call;
  for (const { parameter, kind, id } of named.all) {
    // Related lists check their parent themselves: some are empty if the parent is unknown.
    const isParent = parameter === 'id' && operation.answer.is === 'page';
    if (!isOnKind(grant.right, kind) && !isParent && !(await isVisible(entities, kind, id, call))) throw notFound(kind.kind, id);
  }
  const { kind } = named;
  if (!kind || !target) return;
  // A caller with a limit does not even learn that it exists.
  if (grant.permissions && !isLimited(grant) && isForSomebody(kind)) await assertNotProtected(entities, kind, target, grant);
  if ((await coveredIds(entities, kind, [target], call)).size === 0) throw notFound(kind.kind, target.id);
  if (grant.isDelegated && !grant.right?.endsWith('.read')) await assertNotProtected(entities, kind, target, grant);
};
