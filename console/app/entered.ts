/** What stands in a form, and the values that it means. */

import type { FormField } from './schema.ts';
import { texts } from './texts.ts';
import { labelOf } from './words.ts';

/** What stands in a field: a text, a mark, or what stands in its parts; null for an object that nobody has added. */
export type Shown = string | boolean | null | readonly Shown[] | ShownObject;
export interface ShownObject {
  readonly [name: string]: Shown;
}
/** An entry of a map. */
export interface ShownEntry extends ShownObject {
  readonly key: string;
  readonly value: Shown;
}

export const isShownObject = (shown: Shown | undefined): shown is ShownObject =>
  typeof shown === 'object' && shown !== null && !Array.isArray(shown);

export const isSame = (one: Shown, other: Shown): boolean => JSON.stringify(one) === JSON.stringify(other);

const objectOf = (fields: readonly FormField[], shownOf: (field: FormField) => Shown): ShownObject =>
  Object.fromEntries(fields.map((field) => [field.name, shownOf(field)]));

/** A value as it stands in a form. */
export const shownIn = (field: FormField, value: unknown): Shown => {
  const { entry, fields, item, isAddable } = field;
  if (entry === 'flag') return value === true;
  if (entry === 'lines') return Array.isArray(value) ? value.join('\n') : '';
  if (entry === 'list') return Array.isArray(value) && item ? value.map((each) => shownIn(item, each)) : [];
  if (entry === 'map') return item ? Object.entries(value ?? {}).map(([key, each]) => ({ key, value: shownIn(item, each) })) : [];
  const isEmpty = value === null || value === undefined;
  if (entry === 'object') return isEmpty && isAddable ? null : objectOf(fields, (part) => shownIn(part, Object(value)[part.name]));
  if (isEmpty) return '';
  // A field that takes an id may be answered with a reference to the entity.
  return entry === 'json' ? JSON.stringify(value, null, 2) : String(Object(value).id ?? value);
};

/**
 * What stands in a field that nobody has filled in. Required choices need a value; end-to-end encryption is on, and for a condition with several attributes, one
 * of them suffices unless someone says otherwise.
 */
export const emptyOf = (field: FormField): Shown => (field.isAddable ? null : newOf(field));

/** The same for an object or an entry that someone adds. */
export const newOf = ({ entry, name, isRequired, choices, fields, item, minItems }: FormField): Shown => {
  if (entry === 'flag') return name === 'encryptionRequired';
  if (entry === 'choice' && isRequired) return name === 'semantic' ? 'AnyOf' : (choices[0] ?? '');
  if (entry === 'object') return objectOf(fields, emptyOf);
  if (entry === 'map') return [];
  return entry === 'list' && item ? Array.from({ length: minItems }, () => newOf(item)) : '';
};

/** What stands in a part of an object. */
export const partOf = (shown: Shown, field: FormField): Shown => (isShownObject(shown) ? shown[field.name] : undefined) ?? emptyOf(field);

/** A field whose text is no value. */
export class FieldInvalid extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/**
 * The value that stands in a field; undefined for an empty one.
 * @throws FieldInvalid
 */
const valueIn = (field: FormField, shown: Shown, path: string): unknown => {
  const { entry, fields, item, isRequired, isAddable, name } = field;
  if (typeof shown === 'boolean' || shown === null) return shown ?? undefined;
  if (typeof shown === 'object') {
    if (isShownObject(shown))
      return isRequired || isAddable || !isSame(shown, emptyOf(field)) ? bodyIn(fields, shown, `${path}.`) : undefined;
    if (!item) return undefined;
    if (entry === 'list') return shown.map((each, at) => valueIn(item, each, `${path}.${at}`));
    return mapIn(item, shown as readonly ShownEntry[], path); // lists are above
  }
  const text = shown.trim();
  if (entry === 'lines')
    return text === ''
      ? []
      : text
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean);
  if (text === '') return isRequired && field.mayBeEmpty ? '' : undefined;
  if (entry === 'number') return Number(text);
  if (entry !== 'json') return shown;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new FieldInvalid(path, texts.notJson(labelOf(name)));
  }
};

const mapIn = (item: FormField, entries: readonly ShownEntry[], path: string): unknown => {
  const values = new Map<string, unknown>();
  for (const { key, value } of entries) {
    if (values.has(key)) throw new FieldInvalid(`${path}.${key}`, texts.twice(key));
    values.set(key, valueIn(item, value, `${path}.${key}`));
  }
  return Object.fromEntries(values);
};

const isNothing = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && Object.keys(Object(value)).length === 0);

/** The values of an object that is made from fields. What was never filled in is left out. */
export const bodyIn = (fields: readonly FormField[], shown: Shown, path = ''): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      const { name, constant, isRequired } = field;
      if (constant !== undefined) return [[name, constant]];
      const value = valueIn(field, partOf(shown, field), path + name);
      return value === undefined || (!isRequired && isNothing(value)) ? [] : [[name, value]];
    }),
  );

/** What a change sends: the fields that differ, and of objects that are merged only the parts. What was emptied is unset. */
export const changesIn = (fields: readonly FormField[], shown: Shown, original: Shown, path = ''): Record<string, unknown> => {
  const changes = fields.flatMap((field): [string, unknown][] => {
    const { name, constant, isMerged } = field;
    const [now, before] = [partOf(shown, field), partOf(original, field)];
    if (constant !== undefined || isSame(now, before)) return [];
    if (isMerged && isShownObject(now) && isShownObject(before)) return [[name, changesIn(field.fields, now, before, `${path}${name}.`)]];
    return [[name, valueIn(field, now, path + name) ?? null]];
  });
  const constants = fields.flatMap(({ name, constant }): [string, unknown][] => (constant === undefined ? [] : [[name, constant]]));
  return Object.fromEntries(changes.length > 0 ? [...constants, ...changes] : []);
};

/** What a draft keeps. */
export const withoutSecrets = (fields: readonly FormField[], shown: ShownObject): ShownObject =>
  Object.fromEntries(
    Object.entries(shown).flatMap(([name, value]): [string, Shown][] => {
      const field = fields.find((each) => each.name === name);
      return !field || field.isSecret ? [] : [[name, keptOf(field, value)]];
    }),
  );

const keptOf = (field: FormField, shown: Shown): Shown => {
  const { entry, fields, item } = field;
  if (isShownObject(shown)) return entry === 'object' ? withoutSecrets(fields, shown) : shown;
  if (!item || !Array.isArray(shown)) return shown;
  return shown.map((each: Shown) =>
    entry === 'map' ? { ...(each as ShownEntry), value: keptOf(item, (each as ShownEntry).value) } : keptOf(item, each),
  );
};
