import type { history } from '../../../api/history.ts';
import type { WriteMode } from '../../../api/kit/field.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Kind } from '../../../api/kit/resource.ts';
import { fieldsOf } from '../../../api/kit/variants.ts';
import { namedOperations } from '../../../api/named-operations.ts';
import { isBatchable } from '../../../call/batchable.ts';
import type { Call } from '../../../call/call.ts';
import type { RecordedFields } from '../../../changelog/differences.ts';
import { invalidField } from '../../../errors/index.ts';
import { discriminatorsOf } from '../../../resources/discriminators.ts';
import { unsettingValue } from '../../../resources/unsetting.ts';
import { changedBetween, currentEntity, earlierEntity, recordedKind } from './earlier.ts';

type Revert = typeof history.operations.revert;

const CHANGED: readonly WriteMode[] = ['required', 'optional', 'requiredOnReplace', 'requiredOnCreate'];
const CREATED: readonly WriteMode[] = [...CHANGED, 'createOnly', 'createOnlyOptional', 'discriminator'];

/**
 * Sets the fields of an entity that clients may change to what they were, by the operation that patches or replaces entities of its kind, or creates it again.
 * So the rules of the kind hold, and the change is recorded like any other. What is hidden, such as credentials, does not come back.
 */
export const revertEntity = (call: Call, { kind: name, id, body: { revision } }: DecodedOf<Revert>): Promise<OutputOf<Revert>> => {
  const kind = recordedKind(name);
  return call.write(async (entities) => {
    const then = await earlierEntity(entities, { kind: name, id }, revision);
    const now = await currentEntity(entities, kind, id);
    const changed = writableIn(kind, then).filter((field) => !now || changedBetween(now, then).includes(field));
    // Without a change, an empty patch still checks that the caller may make it: the answer tells that the entity exists.
    const { method, body } = now ? changeTo(kind, then, changed) : { method: 'POST' as const, body: wholeBody(kind, then, CREATED) };
    const output = await call.carryOut(entities, { operation: operationOn(kind, method), input: now ? { id, body } : { body } });
    return { id: now ? id : String(Object(output).id), changed, revision: await entities.revision() }; // a creation answers with the id
  });
};

/** The names of the fields that clients may change. */
const writableIn = (kind: Kind, then: RecordedFields): readonly string[] => [
  ...Object.entries(fieldsOf(kind, then)).flatMap(([name, { write, keep }]) =>
    keep === 'stored' && CHANGED.includes(write) ? [name] : [],
  ),
  ...(kind.kind === 'terminator' ? ['routerId'] : []),
  'tags',
];

/** The names that fields have in bodies, where those differ. */
const NAMES_IN_BODIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  terminator: { serviceId: 'service', routerId: 'router' },
};

const inBody = (kind: Kind, values: readonly (readonly [name: string, value: unknown])[]): RecordedFields =>
  Object.fromEntries(values.map(([name, value]) => [NAMES_IN_BODIES[kind.kind]?.[name] ?? name, value]));

/** A patch of the changed fields, or a replacement if a patch cannot give one of them the value that it had. */
const changeTo = (
  kind: Kind,
  then: RecordedFields,
  changed: readonly string[],
): { readonly method: 'PATCH' | 'PUT'; readonly body: RecordedFields } => {
  const values = changed.map((name) => {
    const field = kind.fields[name];
    return [name, then[name] ?? (field ? unsettingValue(field) : {})] as const;
  });
  const fields = values.map(([name, value]) => ({ name, value, field: kind.fields[name] }));
  const kept = fields.find(({ value, field }) => value === undefined && field?.keptByReplace);
  if (kept) throw invalidField(kept.name, `${kept.name} was not set then, and cannot be removed: make the ${kind.kind} again`, kept.name);
  const isPatch = fields.every(({ value, field }) => value !== undefined && field?.write !== 'requiredOnCreate' && !field?.patch);
  if (isPatch) return { method: 'PATCH', body: { ...discriminatorsOf(kind, then), ...inBody(kind, values) } };
  const given = inBody(
    kind,
    values.filter(([, value]) => value !== undefined),
  );
  return { method: 'PUT', body: { ...wholeBody(kind, then, [...CHANGED, 'discriminator']), ...given } };
};

/** The fields that an entity had, as far as a body may set them. */
const wholeBody = (kind: Kind, then: RecordedFields, modes: readonly WriteMode[]): RecordedFields => ({
  ...Object.fromEntries(
    Object.entries(fieldsOf(kind, then)).flatMap(([name, { write, keep }]) =>
      keep === 'stored' && modes.includes(write) && then[name] != null ? [[name, then[name]]] : [],
    ),
  ),
  ...(modes.includes('required') ? { tags: then.tags ?? {}, ...typeOf(kind, then), ...referencesOf(kind, then) } : {}),
});

/** The references that have other names in bodies. */
const referencesOf = (kind: Kind, then: RecordedFields): RecordedFields =>
  inBody(
    kind,
    Object.keys(NAMES_IN_BODIES[kind.kind] ?? {}).map((name) => [name, then[name]]),
  );

/** In bodies, an identity names its type in a field of its own. */
const typeOf = (kind: Kind, { typeId }: RecordedFields): RecordedFields =>
  kind.kind === 'identity' ? { type: typeId === 'Router' ? 'Router' : 'Default' } : {};

/** The name of the operation that changes or creates entities of a kind. @throws ApiError `COULD_NOT_VALIDATE` if clients cannot do that */
const operationOn = (kind: Kind, method: 'PATCH' | 'PUT' | 'POST'): string => {
  const path = `/${kind.collection}${method === 'POST' ? '' : '/{id}'}`;
  const found = namedOperations.find(({ operation }) => operation.method === method && operation.path === path && isBatchable(operation));
  if (found) return found.name;
  throw invalidField(
    'kind',
    `the kind ${kind.kind} cannot be reverted: no client ${method === 'POST' ? 'makes' : 'changes'} such entities within a transaction`,
    kind.kind,
  );
};
