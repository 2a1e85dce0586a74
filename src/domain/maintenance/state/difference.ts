import type { Field, Kind } from '../../../api/kit/index.ts';
import { invalidField } from '../../../errors/index.ts';
import { rowFields } from '../../../resources/merge.ts';
import { unsettingValue } from '../../../resources/unsetting.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { type Declaration, wantedTags } from './entries.ts';
import { kindIn } from './lookup.ts';
import { type Rename, renamed } from './names.ts';
import { declaredFieldsOf, declaredValues, type Values } from './values.ts';

/**
 * The body that creates an entity, as a document declares it.
 * @param literal gives the form of values in which there are no references
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
    const shown = declared ? renamed(kind, declared.name, declared.field, value, rename) : value;
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
  const row = {
    ...rowFields(kind, decoded),
    ...(kind.kind === 'identity' ? { typeId: decoded.type === 'Router' ? 'Router' : 'Default' } : {}),
  };
  return declaredValues(kind, row, now);
};

/** The names of the fields in which an entity differs from what it should be. A field that answers do not show and that is not given stays as it is. */
export const changedFields = (kind: Kind, before: Values, wanted: Values): readonly string[] =>
  [...declaredFieldsOf(kind, before).map(({ name }) => name), 'tags'].filter(
    (name) => !isSameJson(before[name] ?? null, wanted[name] ?? null) && !isKeptSecret(kind, name, wanted),
  );

/** The key source of a signer that gives none is not known, because documents do not show it unless a setting discloses it. */
const isKeptSecret = ({ fields }: Kind, name: string, wanted: Values): boolean =>
  fields[name]?.disclosable === true && (wanted[name] ?? null) === null && (wanted.certPem ?? null) === null;

/** The operation that changes an entity, and its body. */
export interface Update {
  readonly verb: 'patch' | 'replace';
  readonly body: Values;
}

/**
 * How an entity becomes what it should be: by a patch of the changed fields, or by a replacement where a patch cannot change one of them.
 * @param body the body that would create it
 * @throws ApiError `COULD_NOT_VALIDATE` for a field that never changes
 */
export const updateOf = ({ section, place }: Declaration, changed: readonly string[], body: Values): Update => {
  const kind = kindIn(section);
  const fields = new Map(declaredFieldsOf(kind, body).map(({ name, field }) => [name, field]));
  const fixed = changed.find((name) => FIXED.includes(fields.get(name)?.write ?? 'optional') || isFixedType(kind, name));
  if (fixed !== undefined)
    throw invalidField(
      `${place}.${fixed}`,
      `${fixed} of ${place} cannot change: give the entity another name, or delete it first`,
      body[fixed],
    );
  const values = new Map(
    [...new Set(changed.flatMap((name) => [name, ...(TOGETHER[name] ?? [])]))].map((name) => [name, body[name] ?? unset(fields.get(name))]),
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
    throw invalidField(
      `${place}.${kept}`,
      `${kept} of ${place} cannot be removed: give another value, or the entity another name`,
      undefined,
    );
  const whole = Object.entries(body).filter(
    ([name]) => !FIXED.includes(fields.get(name)?.write ?? 'optional') || name === kind.variants?.by,
  );
  return {
    verb: 'replace',
    body: { ...Object.fromEntries([...values].filter(([, value]) => value !== undefined)), ...Object.fromEntries(whole) },
  };
};

const FIXED: readonly Field['write'][] = ['createOnly', 'createOnlyOptional', 'discriminator'];
const NOT_PATCHED: readonly Field['write'][] = ['requiredOnCreate'];

const isFixedType = ({ kind }: Kind, name: string): boolean =>
  (kind === 'identity' && name === 'type') || (kind === 'configType' && name === 'target');

/** Fields that a body must give together: without its grants, a role attribute of an identity would keep its end. */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  roleAttributes: ['roleAttributeGrants'],
  roleAttributeGrants: ['roleAttributes'],
};

/** The value with which a body resets a field to its default; undefined if none does. */
const unset = (field: Field | undefined): unknown => (field ? unsettingValue(field) : {});
