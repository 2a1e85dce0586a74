/** Form state, and its conversion to request bodies. */

import { type FormField, isTextList, type ValueType } from './schema.ts';
import { texts } from './texts.ts';
import { labelOf } from './words.ts';

/** The state of a field: text, a flag, or the states of its parts; null for an object that has not been added. */
export type FormValue = string | boolean | null | readonly FormValue[] | FormObject;
export interface FormObject {
  readonly [name: string]: FormValue;
}
/** An entry of a map. */
export interface FormEntry extends FormObject {
  readonly key: string;
  readonly value: FormValue;
}

/** A row of a map of plain values. */
export interface ValueRow extends FormObject {
  readonly key: string;
  readonly type: ValueType;
  readonly value: string;
}

export const isFormObject = (shown: FormValue | undefined): shown is FormObject =>
  typeof shown === 'object' && shown !== null && !Array.isArray(shown);

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const objectOf = (fields: readonly FormField[], shownOf: (field: FormField) => FormValue): FormObject =>
  Object.fromEntries(fields.map((field) => [field.name, shownOf(field)]));

/** The state of a field for a value of the API. */
export const toFormValue = (field: FormField, value: unknown): FormValue => {
  const { entry, fields, item, isAddable } = field;
  if (entry === 'flag') return value === true;
  if (entry === 'lines') return Array.isArray(value) ? value.join('\n') : '';
  if (isTextList(entry)) return Array.isArray(value) ? value.map(String) : [];
  if (entry === 'values') return Object.entries(value ?? {}).map(([key, each]) => rowOf(key, each));
  if (entry === 'list') return Array.isArray(value) && item ? value.map((each) => toFormValue(item, each)) : [];
  if (entry === 'map') return item ? Object.entries(value ?? {}).map(([key, each]) => ({ key, value: toFormValue(item, each) })) : [];
  const isEmpty = value === null || value === undefined;
  if (entry === 'object') return isEmpty && isAddable ? null : objectOf(fields, (part) => toFormValue(part, Object(value)[part.name]));
  if (isEmpty) return '';
  // A field that takes an id may be answered with a reference to the entity.
  return entry === 'json' || entry === 'data' ? JSON.stringify(value, null, 2) : String(Object(value).id ?? value);
};

const rowOf = (key: string, value: unknown): ValueRow => {
  const type = value === null ? 'null' : (PLAIN.find((each) => each === typeof value) ?? 'json');
  return { key, type, value: value === null ? '' : type === 'json' ? JSON.stringify(value) : String(value) };
};

const PLAIN: readonly ValueType[] = ['string', 'number', 'boolean'];

/**
 * The state of an untouched field. Required choices need a value: end-to-end encryption is on, and of a condition with several attributes,
 * one suffices.
 */
export const emptyValue = (field: FormField): FormValue => (field.isAddable ? null : initialValue(field));

/** The state of an object or an entry that is added. */
export const initialValue = ({ entry, name, isRequired, choices, fields, item, minItems, initial }: FormField): FormValue => {
  if (initial !== undefined) return initial;
  if (entry === 'flag') return name === 'encryptionRequired';
  if (entry === 'choice' && isRequired) return name === 'semantic' ? 'AnyOf' : (choices[0] ?? '');
  if (entry === 'object') return objectOf(fields, emptyValue);
  if (entry === 'map' || entry === 'values' || isTextList(entry)) return [];
  return entry === 'list' && item ? Array.from({ length: minItems }, () => initialValue(item)) : '';
};

/** The state of a part of an object. */
export const partOf = (shown: FormValue, field: FormField): FormValue =>
  (isFormObject(shown) ? shown[field.name] : undefined) ?? emptyValue(field);

/** A field whose text is not a valid value. */
export class FieldInvalid extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/**
 * The value of a field; undefined for an empty one.
 * @throws FieldInvalid
 */
const valueIn = (field: FormField, shown: FormValue, path: string): unknown => {
  const { entry, fields, item, isRequired, isAddable, name } = field;
  if (typeof shown === 'boolean' || shown === null) return shown ?? undefined;
  if (isTextList(entry)) return shown;
  if (entry === 'values') return plainValuesIn(field, shown as readonly ValueRow[], path); // `toFormValue` and the rows make them
  if (typeof shown === 'object') {
    if (isFormObject(shown))
      return isRequired || isAddable || !isSame(shown, emptyValue(field)) ? bodyIn(fields, shown, `${path}.`) : undefined;
    if (!item) return undefined;
    if (entry === 'list') return shown.map((each, at) => valueIn(item, each, `${path}.${at}`));
    return mapIn(item, shown as readonly FormEntry[], path); // lists are above
  }
  const text = shown.trim();
  if (entry === 'lines')
    return text === ''
      ? []
      : text
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean);
  if (text === '') return isRequired && field.mayBeEmpty ? '' : isRequired && entry === 'data' ? {} : undefined;
  if (entry === 'number') return Number(text);
  return entry === 'json' || entry === 'data' ? parsed(text, path, labelOf(name)) : shown;
};

const parsed = (text: string, path: string, label: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new FieldInvalid(path, texts.notJson(label));
  }
};

const plainValuesIn = ({ name }: FormField, rows: readonly ValueRow[], path: string): unknown => {
  const values = new Map<string, unknown>();
  for (const row of rows) {
    if (values.has(row.key)) throw new FieldInvalid(path, texts.duplicateKey(row.key));
    values.set(row.key, plainValue(row, path, labelOf(name)));
  }
  return Object.fromEntries(values);
};

const plainValue = ({ key, type, value }: ValueRow, path: string, label: string): unknown => {
  if (type === 'null') return null;
  if (type === 'boolean') return value === 'true';
  if (type === 'string') return value;
  if (type === 'json') return parsed(value, path, `${label}: ${key}`);
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) throw new FieldInvalid(path, texts.pickers.notNumber(`${label}: ${key}`));
  return number;
};

const mapIn = (item: FormField, entries: readonly FormEntry[], path: string): unknown => {
  const values = new Map<string, unknown>();
  for (const { key, value } of entries) {
    if (values.has(key)) throw new FieldInvalid(`${path}.${key}`, texts.duplicateKey(key));
    values.set(key, valueIn(item, value, `${path}.${key}`));
  }
  return Object.fromEntries(values);
};

const isNothing = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && Object.keys(Object(value)).length === 0);

/** The request body of an object. Fields that were never filled in are left out. */
export const bodyIn = (fields: readonly FormField[], shown: FormValue, path = ''): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      const { name, constant, isRequired } = field;
      if (constant !== undefined) return [[name, constant]];
      const value = valueIn(field, partOf(shown, field), path + name);
      return value === undefined || (!isRequired && isNothing(value)) ? [] : [[name, value]];
    }),
  );

/** The request body of a change: the fields that differ, and of merged objects only the parts that differ. Emptied fields are reset. */
export const changesIn = (fields: readonly FormField[], shown: FormValue, original: FormValue, path = ''): Record<string, unknown> => {
  const changes = fields.flatMap((field): [string, unknown][] => {
    const { name, constant, isMerged } = field;
    const [now, before] = [partOf(shown, field), partOf(original, field)];
    if (constant !== undefined || isSame(now, before)) return [];
    if (isMerged && isFormObject(now) && isFormObject(before)) return [[name, changesIn(field.fields, now, before, `${path}${name}.`)]];
    return [[name, valueIn(field, now, path + name) ?? emptied(field)]];
  });
  const constants = fields.flatMap(({ name, constant }): [string, unknown][] => (constant === undefined ? [] : [[name, constant]]));
  return Object.fromEntries(changes.length > 0 ? [...constants, ...changes] : []);
};

/** The value with which a change empties a field. Null would change nothing in a text, or in an id that has a default. */
const emptied = ({ entry }: FormField): '' | null => (entry === 'text' || entry === 'reference' ? '' : null);

/**
 * True if a field is emptied to which a change in part cannot say so: null would leave it as it is.
 * @throws FieldInvalid for one that the controller keeps in any case
 */
export const emptiesAny = (fields: readonly FormField[], shown: FormValue, original: FormValue): boolean =>
  fields.some((field) => {
    const [now, before] = [partOf(shown, field), partOf(original, field)];
    if (field.constant !== undefined || isSame(now, before)) return false;
    if (field.isMerged && isFormObject(now) && isFormObject(before)) return emptiesAny(field.fields, now, before);
    const isEmptied = emptied(field) === null && valueIn(field, now, field.name) === undefined;
    if (isEmptied && KEPT.includes(field.name)) throw new FieldInvalid(field.name, texts.keptField(labelOf(field.name)));
    return isEmptied;
  });

/** Fields that no change removes: the end of a grant. */
const KEPT: readonly string[] = ['validUntil'];

/** The part of the state that a draft keeps. */
export const withoutSecrets = (fields: readonly FormField[], shown: FormObject): FormObject =>
  Object.fromEntries(
    Object.entries(shown).flatMap(([name, value]): [string, FormValue][] => {
      const field = fields.find((each) => each.name === name);
      return !field || field.isSecret ? [] : [[name, keptOf(field, value)]];
    }),
  );

const keptOf = (field: FormField, shown: FormValue): FormValue => {
  const { entry, fields, item } = field;
  if (isFormObject(shown)) return entry === 'object' ? withoutSecrets(fields, shown) : shown;
  if (!item || !Array.isArray(shown)) return shown;
  return shown.map((each: FormValue) =>
    entry === 'map' ? { ...(each as FormEntry), value: keptOf(item, (each as FormEntry).value) } : keptOf(item, each),
  );
};
