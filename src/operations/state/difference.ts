import { rowFields } from '../../call/resources/merge.ts';
import { unsettingValue } from '../../call/resources/unsetting.ts';
import type { Field, Kind } from '../../contract/api/kit/index.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import { type Declaration, wantedTags } from './entries.ts';
import { kindIn } from './lookup.ts';
import { type Rename, renameReferences } from './names.ts';
import { declaredFieldsOf, declaredValues, type Values } from './values.ts';

/**
 * The body that creates an entity, as a document declares it.
 * @param literal converts values that contain no references
 */
export const bodyOf = (
  entry: Declaration,
  owner: string | undefined,
  rename: Rename,
  literal = (value: unknown): unknown => value,
): Values => {
  const { section, given } = entry;
  const kind = kindIn(section);
  const byLabel = new Map(declaredFieldsOf(kind, given).map((declared) => [declared.label, declared]));
  const body: Record<string, unknown> = {};
  for (const [label, value] of Object.entries(given)) {
    const declared = byLabel.get(label);
    const shown = declared ? renameReferences(declared.field, value, rename) : value;
    if (shown !== undefined) body[declared?.name ?? label] = shown === value ? literal(value) : shown;
  }
  const tags = wantedTags(entry, owner);
  return given.tags === undefined && isSameJson(tags, {}) ? body : { ...body, tags: literal(tags) };
};

/**
 * The values that an entity should have, see `declaredValues`.
 * @throws ApiError `COULD_NOT_VALIDATE` with the place of the first invalid field
 */
export const wantedValues = ({ section, place }: Declaration, body: Values, now: string): Values => {
  const kind = kindIn(section);
  const parsed = kind.schemas.create.safeParse(body, { reportInput: true });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = [place, ...(issue?.path ?? [])].join('.');
    throw invalidField(at, `${at}: ${issue?.message ?? 'is not valid'}`, issue?.input);
  }
  const decoded = parsed.data as Values; // the bodies of all kinds are objects
  const kept = declaredFieldsOf(kind, decoded).flatMap(({ name, field: { storedAs } }) => (storedAs ? [[storedAs, decoded[name]]] : []));
  return declaredValues(kind, { ...rowFields(kind, decoded), ...Object.fromEntries(kept) }, now);
};

/**
 * The names of the fields whose values differ from the desired ones. A field that answers omit, and that the document omits, is unchanged.
 */
export const changedFields = (kind: Kind, before: Values, wanted: Values): readonly string[] =>
  [...declaredFieldsOf(kind, before).map(({ name }) => name), 'tags'].filter(
    (name) => !isSameJson(before[name] ?? null, wanted[name] ?? null) && !isKeptSecret(kind, name, wanted),
  );

/** True for the key source of a signer that the document omits: documents contain it only if a setting discloses it. */
const isKeptSecret = ({ fields }: Kind, name: string, wanted: Values): boolean =>
  fields[name]?.disclosable === true && (wanted[name] ?? null) === null && (wanted.certPem ?? null) === null;

/** The operation that changes an entity, and its body. */
export interface Update {
  readonly verb: 'patch' | 'replace';
  readonly body: Values;
}

/**
 * The operation that sets the changed fields to the desired values: a patch, or a replacement if a patch cannot change one of them.
 * @param body the body that would create it
 * @throws ApiError `COULD_NOT_VALIDATE` for a field that never changes
 */
export const updateOf = ({ section, place }: Declaration, changed: readonly string[], body: Values): Update => {
  const kind = kindIn(section);
  const fields = new Map(declaredFieldsOf(kind, body).map(({ name, field }) => [name, field]));
  const fixed = changed.find((name) => FIXED.includes(fields.get(name)?.write ?? 'optional') || fields.get(name)?.fixed);
  if (fixed !== undefined)
    throw invalidField(`${place}.${fixed}`, `${fixed} of ${place} cannot be changed: rename the entity, or delete it first`, body[fixed]);
  const values = new Map(
    [...new Set(changed.flatMap((name) => [name, ...companionsOf(name, fields)]))].map((name) => [
      name,
      body[name] ?? unset(fields.get(name)),
    ]),
  );
  const needsReplace = changed.some(
    (name) =>
      values.get(name) === undefined ||
      NOT_PATCHED.includes(fields.get(name)?.write ?? 'optional') ||
      fields.get(name)?.patch !== undefined,
  );
  const discriminator = kind.variants ? { [kind.variants.by]: body[kind.variants.by] } : {};
  if (!needsReplace) return { verb: 'patch', body: { ...discriminator, ...Object.fromEntries(values) } };
  const kept = changed.find((name) => values.get(name) === undefined && fields.get(name)?.keptByReplace);
  if (kept !== undefined)
    throw invalidField(`${place}.${kept}`, `${kept} of ${place} cannot be removed: set another value, or rename the entity`, undefined);
  const replaceable = Object.entries(body).filter(
    ([name]) => !FIXED.includes(fields.get(name)?.write ?? 'optional') || name === kind.variants?.by,
  );
  return {
    verb: 'replace',
    body: { ...Object.fromEntries([...values].filter(([, value]) => value !== undefined)), ...Object.fromEntries(replaceable) },
  };
};

const FIXED: readonly Field['write'][] = ['createOnly', 'createOnlyOptional', 'discriminator'];
const NOT_PATCHED: readonly Field['write'][] = ['requiredOnCreate'];

/** Fields that a body must contain together with another: without its grants, an entry of a set would keep its end. */
const companionsOf = (name: string, fields: ReadonlyMap<string, Field>): readonly string[] =>
  [...fields].flatMap(([other, { endsOf }]) => (endsOf === undefined ? [] : endsOf === name ? [other] : other === name ? [endsOf] : []));

/** The value by which a body resets a field to its default; undefined if there is none. */
const unset = (field: Field | undefined): unknown => (field ? unsettingValue(field) : {});
