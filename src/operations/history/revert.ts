import { isBatchable } from '../../call/batchable.ts';
import type { Call } from '../../call/call.ts';
import { discriminatorsOf } from '../../call/resources/discriminators.ts';
import { unsettingValue } from '../../call/resources/unsetting.ts';
import type { history } from '../../contract/api/history.ts';
import type { WriteMode } from '../../contract/api/kit/field.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { fieldsOf } from '../../contract/api/kit/variants.ts';
import { namedOperations } from '../../contract/api/named-operations.ts';
import { invalidField } from '../../contract/errors/index.ts';
import type { RecordedFields } from '../../store/changelog/differences.ts';
import { assertRecordedKind, changedBetween, currentEntity, earlierEntity } from './earlier.ts';

type Revert = typeof history.operations.revert;

const CHANGEABLE: readonly WriteMode[] = ['required', 'optional', 'requiredOnReplace', 'requiredOnCreate'];
const CREATABLE: readonly WriteMode[] = [...CHANGEABLE, 'createOnly', 'createOnlyOptional', 'discriminator'];

/**
 * Restores the writable fields of an entity by the operation that patches, replaces or creates entities of its kind, so that the rules of
 * the kind apply and the change is recorded. Hidden fields, such as credentials, are not restored.
 */
export const revertEntity = (call: Call, { kind: name, id, body: { revision } }: DecodedOf<Revert>): Promise<OutputOf<Revert>> => {
  const kind = assertRecordedKind(name);
  return call.write(async (entities) => {
    const earlier = await earlierEntity(entities, { kind: name, id }, revision);
    const current = await currentEntity(entities, kind, id);
    const changed = writableIn(kind, earlier).filter((field) => !current || changedBetween(current, earlier).includes(field));
    // Without a change, an empty patch still checks that the caller may make it: the answer reveals that the entity exists.
    const { method, body } = current
      ? changeTo(kind, earlier, changed)
      : { method: 'POST' as const, body: fullBody(kind, earlier, CREATABLE) };
    const output = await call.invokeNested(entities, { operation: operationOn(kind, method), input: current ? { id, body } : { body } });
    return { id: current ? id : String(Object(output).id), changed, revision: await entities.revision() }; // a creation answers with the id
  });
};

/** The names of the fields that clients may change. */
const writableIn = (kind: Kind, then: RecordedFields): readonly string[] => {
  const written = Object.entries(fieldsOf(kind, then)).filter(([, { write }]) => CHANGEABLE.includes(write));
  return [
    ...written.flatMap(([name, { keep }]) => (keep === 'stored' ? [name] : [])),
    ...written.flatMap(([, { storedAs, fixed }]) => (storedAs !== undefined && !fixed ? [storedAs] : [])),
    'tags',
  ];
};

/** Values by the names that their fields have in bodies. */
const inBody = ({ fields }: Kind, values: readonly (readonly [name: string, value: unknown])[]): RecordedFields => {
  const names = new Map(Object.entries(fields).map(([name, { storedAs }]) => [storedAs, name]));
  return Object.fromEntries(values.map(([name, value]) => [names.get(name) ?? name, value]));
};

/** A patch of the changed fields, or a replacement if a patch cannot restore one of them. */
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
  if (kept)
    throw invalidField(
      kept.name,
      `${kept.name} was not set at that revision, and cannot be removed: create the ${kind.kind} again`,
      kept.name,
    );
  const isPatch = fields.every(({ value, field }) => value !== undefined && field?.write !== 'requiredOnCreate' && !field?.patch);
  if (isPatch) return { method: 'PATCH', body: { ...discriminatorsOf(kind, then), ...inBody(kind, values) } };
  const given = inBody(
    kind,
    values.filter(([, value]) => value !== undefined),
  );
  return { method: 'PUT', body: { ...fullBody(kind, then, [...CHANGEABLE, 'discriminator']), ...given } };
};

/** All fields of the earlier state that a body may set. */
const fullBody = (kind: Kind, then: RecordedFields, modes: readonly WriteMode[]): RecordedFields => ({
  ...Object.fromEntries(
    Object.entries(fieldsOf(kind, then)).flatMap(([name, { write, keep, storedAs }]) => {
      const value = then[storedAs ?? name];
      return (keep === 'stored' || storedAs !== undefined) && modes.includes(write) && value != null ? [[name, value]] : [];
    }),
  ),
  tags: then.tags ?? {},
});

/**
 * The name of the operation that changes or creates entities of a kind.
 * @throws ApiError `COULD_NOT_VALIDATE` if clients cannot do that
 */
const operationOn = (kind: Kind, method: 'PATCH' | 'PUT' | 'POST'): string => {
  const path = `/${kind.collection}${method === 'POST' ? '' : '/{id}'}`;
  const found = namedOperations.find(({ operation }) => operation.method === method && operation.path === path && isBatchable(operation));
  if (found) return found.name;
  throw invalidField(
    'kind',
    `entities of kind ${kind.kind} cannot be reverted: clients cannot ${method === 'POST' ? 'create' : 'change'} them in a batch`,
    kind.kind,
  );
};
