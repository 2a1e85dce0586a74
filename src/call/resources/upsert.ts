import type { Group, Operations } from '../../contract/api/kit/operation.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { fieldsOf } from '../../contract/api/kit/variants.ts';
import { ApiError, invalidField } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import type { Call } from '../call.ts';
import { discriminatorsOf } from './discriminators.ts';
import { selfLink } from './links.ts';
import { mergeBody } from './merge.ts';

type Body = Readonly<Record<string, unknown>>;

/** The fields that find the entity. */
interface Upsert {
  readonly by?: string | undefined;
  readonly body: Body;
}

/**
 * The handler that creates an entity, or patches the one that has its name. It carries out these operations, with their rights and rules.
 */
export const upsertHandler =
  (group: Group<string, Operations>, kind: Kind) =>
  async (call: Call, { by = 'name', body }: Upsert) => {
    const value = body[by];
    if (typeof value !== 'string' || value === '') throw invalidField(by, `${by} must be given: it finds the entity`, value);
    let isKnown = false;
    const attempt = (failure?: unknown) =>
      call.write(async (entities) => {
        const former: Row | undefined = await entities.getBy(kind, by as 'id', value); // a unique field
        if (failure !== undefined && !former) throw failure;
        isKnown = former !== undefined;
        return upsertIn(call, entities, { group: group.name, kind, body, former });
      });
    try {
      return await attempt();
    } catch (error) {
      // Another caller may have created it at the same moment; in a transaction of its own, a second attempt finds that.
      const isTaken = error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE' && Object(error.cause).field === by;
      if (!isTaken || isKnown || call.isJoined) throw error;
      return attempt(error);
    }
  };

interface Upserting {
  readonly group: string;
  readonly kind: Kind;
  readonly body: Body;
  /** The entity that has the name. */
  readonly former: Row | undefined;
}

const upsertIn = async (call: Call, entities: Entities, { group, kind, body, former }: Upserting) => {
  const fixed = former && changedFixedField(kind, former, body);
  const changes = former && fixed === undefined ? changesIn(kind, former, body) : undefined;
  const patch = (id: string, body: Body) => call.invokeNested(entities, { operation: `${group}.patch`, input: { id, body } });
  // Without anything that it may change, the patch still shows whether the caller may: nothing else may be said of the entity before.
  if (former && (await isSeen(() => patch(former.id, { ...discriminatorsOf(kind, former), ...changes })))) {
    const { id } = former;
    if (fixed !== undefined) throw invalidField(fixed, `${fixed} of this ${kind.kind} cannot be changed by an upsert`, body[fixed]);
    if (!changes) await patch(id, { ...discriminatorsOf(kind, former), ...body }); // is refused, and says why
    return { _links: selfLink(kind, id), id, isNew: false, isChanged: Object.keys(changes ?? body).length > 0 };
  }
  const created = await call.invokeNested(entities, { operation: `${group}.create`, input: { body } });
  const { id } = created as { readonly id: string }; // the answer of a create
  return { _links: selfLink(kind, id), id, isNew: true, isChanged: true };
};

/**
 * True if the caller sees the entity that is patched; if not, the create gives the same refusal as for a name that is taken. @throws
 * ApiError of the patch
 */
const isSeen = async (patch: () => Promise<unknown>): Promise<boolean> => {
  try {
    await patch();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
};

/** A field that a patch does not change, and that the body gives another value. */
const changedFixedField = (kind: Kind, former: Row, body: Body): string | undefined =>
  Object.entries(fieldsOf(kind, former)).find(
    ([name, { write, keep }]) => FIXED.test(write) && name in body && keep === 'stored' && !isSameJson(body[name], former[name]),
  )?.[0];

const FIXED = /^(createOnly.*|discriminator|requiredOnCreate)$/;

/** The fields of a body that a patch would change; undefined if it is invalid. */
const changesIn = (kind: Kind, former: Row, body: Body): Body | undefined => {
  const { success, data } = kind.schemas.patch.safeParse({ ...discriminatorsOf(kind, former), ...body });
  if (!success) return undefined;
  const merged = mergeBody(kind, 'patch', former, data as Body); // the body of a patch is an object
  return Object.fromEntries(Object.entries(body).filter(([name]) => name in merged && !isSameJson(merged[name], former[name])));
};
