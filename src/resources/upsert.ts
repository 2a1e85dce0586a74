import type { Group, Operations } from '../api/kit/operation.ts';
import type { Kind } from '../api/kit/resource.ts';
import { fieldsOf } from '../api/kit/variants.ts';
import type { Call } from '../call/call.ts';
import type { Entities } from '../entities/entities.ts';
import { ApiError, invalidField } from '../errors/index.ts';
import type { Row } from '../storage/port.ts';
import { isSameJson } from '../storage/same-json.ts';
import { discriminatorsOf } from './discriminators.ts';
import { selfLink } from './links.ts';
import { mergeBody } from './merge.ts';

type Body = Readonly<Record<string, unknown>>;

/** What finds the entity. */
interface Upsert {
  readonly by?: string | undefined;
  readonly body: Body;
}

/** The handler that creates an entity, or patches the one that has its name. It carries out these operations, with their rights and rules. */
export const upsertHandler =
  (group: Group<string, Operations>, kind: Kind) =>
  async (call: Call, { by = 'name', body }: Upsert) => {
    const value = body[by];
    if (typeof value !== 'string' || value === '') throw invalidField(by, `${by} must be given: it finds the entity`, value);
    const once = () => call.write((entities) => upsertIn(call, entities, { group: group.name, kind, by, value, body }));
    try {
      return await once();
    } catch (error) {
      // Another caller may have created it at the same moment; in a transaction of its own, a second attempt finds that.
      if (!(error instanceof ApiError) || error.code !== 'COULD_NOT_VALIDATE' || Object(error.cause).field !== by || call.isJoined)
        throw error;
      return once();
    }
  };

interface Upserting {
  readonly group: string;
  readonly kind: Kind;
  readonly by: string;
  readonly value: string;
  readonly body: Body;
}

const upsertIn = async (call: Call, entities: Entities, { group, kind, by, value, body }: Upserting) => {
  const former: Row | undefined = await entities.getBy(kind, by as 'id', value); // a unique field
  // The caller may not see it, and then gets the same refusal as from a create.
  if (former && (await mayPatch(call, entities, `${group}.patch`, kind, former))) {
    const { id } = former;
    refuseChangeOfOthers(kind, former, body);
    const changes = changesIn(kind, former, body);
    if (changes)
      await call.carryOut(entities, {
        operation: `${group}.patch`,
        input: { id, body: { ...discriminatorsOf(kind, former), ...changes } },
      });
    return { _links: selfLink(kind, id), id, isNew: false, isChanged: changes !== undefined };
  }
  const created = await call.carryOut(entities, { operation: `${group}.create`, input: { body } });
  const { id } = created as { readonly id: string }; // the answer of a create
  return { _links: selfLink(kind, id), id, isNew: true, isChanged: true };
};

/** Whether the caller sees the entity. @throws ApiError `UNAUTHORIZED` if the caller may not patch it */
const mayPatch = async (call: Call, entities: Entities, operation: string, kind: Kind, former: Row): Promise<boolean> => {
  try {
    await call.carryOut(entities, { operation, input: { id: former.id, body: discriminatorsOf(kind, former) } });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
};

/** @throws ApiError `COULD_NOT_VALIDATE` for a field that a patch does not change, and that the body gives another value */
const refuseChangeOfOthers = (kind: Kind, former: Row, body: Body): void => {
  for (const [name, { write, keep }] of Object.entries(fieldsOf(kind, former))) {
    if (!FIXED.test(write) || !(name in body) || keep !== 'stored' || isSameJson(body[name], former[name])) continue;
    throw invalidField(name, `${name} of this ${kind.kind} cannot be changed by an upsert`, body[name]);
  }
};

const FIXED = /^(createOnly.*|discriminator|requiredOnCreate)$/;

/** The fields of a body that a patch would change; all of them if it is invalid, and the patch says so; undefined if there are none. */
const changesIn = (kind: Kind, former: Row, body: Body): Body | undefined => {
  const { success, data } = kind.schemas.patch.safeParse({ ...discriminatorsOf(kind, former), ...body });
  if (!success) return body;
  const merged = mergeBody(kind, 'patch', former, data as Body); // the body of a patch is an object
  const changed = Object.entries(body).filter(([name]) => name in merged && !isSameJson(merged[name], former[name]));
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
};
