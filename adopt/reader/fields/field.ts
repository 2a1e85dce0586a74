/**
 * The declaration of a field of a former entity: the form of its value in the database, and what stands for it where it is absent. The type
 * of an entity follows from the declarations of its fields.
 */

/** A value of JSON as the former database holds it. A time in it is its ISO text. */
export type FormerJson = null | boolean | number | string | readonly FormerJson[] | FormerJsonObject;

/** An object of JSON. It has no prototype pollution: a key `__proto__` is a key like any other. */
export interface FormerJsonObject {
  readonly [key: string]: FormerJson;
}

/**
 * The form of a value in the database.
 *
 * | form | in the database |
 * |---|---|
 * | `bool`, `int`, `text`, `time` | a typed value; `int` is of 32 or 64 bits |
 * | `bytes` | a value without a type |
 * | `set` | a bucket whose keys are typed texts |
 * | `json` | a bucket of typed values, and of buckets for nested objects and lists |
 * | `map` | a bucket: key to a value of one form |
 * | `object` | a bucket of declared fields |
 * | `derived` | what the former controller computes from other entities; not read |
 */
export type FieldForm = 'bool' | 'int' | 'text' | 'time' | 'bytes' | 'set' | 'json' | 'map' | 'object' | 'derived';

/** From when on a field exists: a schema version, or release 2.0, which has the same schema version as 1.7.2. */
export type Since = number | '2.0';

/** A declared field, whose values are of type `T`. */
export interface Field<T = unknown> {
  readonly is: FieldForm;
  /** The default if the value is absent or nil. Without it, the entity must have the field. */
  readonly orElse?: { readonly value: T };
  /** Bits of an `int`, as the former controller writes it. */
  readonly bits?: 32 | 64;
  /** The form of the values of a `map`. */
  readonly of?: Field;
  /** The fields of an `object`. */
  readonly fields?: Fields;
  /** Absent: as long as schema version 38. */
  readonly since?: Since;
}

/** Fields by their names in the database. */
export type Fields = Readonly<Record<string, Field>>;

/** The values of declared fields; those that are derived are left out. */
export type Values<F extends Fields> = {
  readonly [K in keyof F as F[K] extends Field<never> ? never : K]: F[K] extends Field<infer T> ? T : never;
};

export const bool = (orElse = false): Field<boolean> => ({ is: 'bool', orElse: { value: orElse } });

export const int32 = (orElse = 0): Field<number> => ({ is: 'int', bits: 32, orElse: { value: orElse } });

/** A number beyond 2^53 is rounded, as JSON rounds it. */
export const int64 = (orElse = 0): Field<number> => ({ is: 'int', bits: 64, orElse: { value: orElse } });

/** A text that every entity has, unless there is a default. */
export const text = (orElse?: string): Field<string> => ({ is: 'text', ...(orElse === undefined ? {} : { orElse: { value: orElse } }) });

export const nullableText = (): Field<string | null> => ({ is: 'text', orElse: { value: null } });

/** To the millisecond. */
export const time = (): Field<Date> => ({ is: 'time' });

export const nullableTime = (): Field<Date | null> => ({ is: 'time', orElse: { value: null } });

/** Bytes by a name of their own, which inferred declarations keep: `Uint8Array` is generic since TypeScript 5.7 only. */
export interface StoredBytes extends Uint8Array {}

export const bytes = (): Field<StoredBytes | null> => ({ is: 'bytes', orElse: { value: null } });

/** Texts, without duplicates, in the order of their bytes: the former database keeps no other. */
export const set = (): Field<readonly string[]> => ({ is: 'set', orElse: { value: [] } });

export const json = (): Field<FormerJsonObject> => ({ is: 'json', orElse: { value: {} } });

export const map = <T>(of: Field<T>): Field<ReadonlyMap<string, T>> => ({ is: 'map', of, orElse: { value: new Map() } });

/** Fields in a bucket of their own. If it is absent, all its fields are. */
export const object = <const F extends Fields>(fields: F): Field<Values<F>> => ({ is: 'object', fields });

/** The same, or null if the bucket is absent. */
export const nullableObject = <const F extends Fields>(fields: F): Field<Values<F> | null> => ({
  is: 'object',
  fields,
  orElse: { value: null },
});

/** Not read: it follows from other entities. */
export const derived: Field<never> = { is: 'derived' };

export const since = <T>(from: Since, field: Field<T>): Field<T> => ({ ...field, since: from });
