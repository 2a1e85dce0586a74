import type { Field, Fields, FormerJson, Since } from '../../../adopt/reader/fields/field.ts';
import { type BoltElement, ordered } from './bolt-writer.ts';
import { boolValue, floatValue, int32Value, int64Value, LIST_SIZE_KEY, nilValue, textValue, timeValue } from './values.ts';

/** Of which release a database is. 1.7.2 and 2.0 have the same schema version. */
export interface FormerRelease {
  readonly schemaVersion: number;
  /** Default: false. */
  readonly is20?: boolean | undefined;
}

export interface EntityStyle extends FormerRelease {
  /** Writes what the former controller derives, too. Default: false. */
  readonly withDerived?: boolean | undefined;
  /** Writes whole numbers in JSON as integers, as the former command line did. Default: false. */
  readonly integers?: boolean | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** Whether a release has a field. */
export const exists = (since: Since | undefined, { schemaVersion, is20 = false }: FormerRelease): boolean =>
  since === undefined || (since === '2.0' ? is20 : schemaVersion >= since);

/** The elements of an entity's bucket, by the declarations of its fields. Fields without a value are left out. */
export const entityElements = (fields: Fields, values: Values, style: EntityStyle): BoltElement[] =>
  ordered(
    Object.entries(fields).flatMap(([name, field]) => {
      const key = Buffer.from(name);
      if (field.is === 'derived') return style.withDerived ? derivedElement(key) : [];
      const value = values[name];
      return value === undefined || !exists(field.since, style) ? [] : fieldElement(key, field, value, style);
    }),
  );

/** Counted links, as the controller keeps of identities and services. */
const derivedElement = (key: Buffer): BoltElement[] => [
  { key, bucket: ordered(['x1', 'x2'].map((id) => ({ key: textValue(id), value: int32Value(2) }))) },
];

const fieldElement = (key: Buffer, field: Field, value: unknown, style: EntityStyle): BoltElement[] => {
  if (value === null) return field.is === 'object' || field.is === 'bytes' ? [] : [{ key, value: nilValue() }];
  if (field.is === 'object') return [{ key, bucket: entityElements(field.fields ?? {}, value as Values, style) }];
  if (field.is === 'set')
    return [{ key, bucket: ordered((value as readonly string[]).map((text) => ({ key: textValue(text), value: Buffer.alloc(0) }))) }];
  if (field.is === 'map')
    return [
      { key, bucket: ordered([...(value as ReadonlyMap<string, unknown>)].flatMap(([name, each]) => mapped(name, field, each, style))) },
    ];
  if (field.is === 'json') return [jsonElement(key, value as FormerJson, style)];
  return [{ key, value: scalarValue(field, value) }];
};

const mapped = (name: string, { of }: Field, value: unknown, style: EntityStyle): BoltElement[] =>
  of ? fieldElement(Buffer.from(name), of, value, style) : [];

const scalarValue = ({ is, bits }: Field, value: unknown): Buffer => {
  if (is === 'bool') return boolValue(value as boolean);
  if (is === 'int') return bits === 32 ? int32Value(value as number) : int64Value(value as number);
  if (is === 'text') return textValue(value as string);
  if (is === 'time') return timeValue(value as Date);
  return Buffer.from(value as Uint8Array);
};

const jsonElement = (key: Buffer, value: FormerJson, style: EntityStyle): BoltElement => {
  if (value === null) return { key, value: nilValue() };
  if (typeof value === 'boolean') return { key, value: boolValue(value) };
  if (typeof value === 'string') return { key, value: textValue(value) };
  if (typeof value === 'number')
    return { key, value: style.integers && Number.isSafeInteger(value) && !Object.is(value, -0) ? int64Value(value) : floatValue(value) };
  if (Array.isArray(value))
    return { key, bucket: ordered([...value.map((each, i) => jsonElement(int32Value(i), each, style)), sizeElement(value.length)]) };
  return { key, bucket: ordered(Object.entries(value).map(([name, each]) => jsonElement(Buffer.from(name), each, style))) };
};

const sizeElement = (length: number): BoltElement => ({ key: Buffer.from(LIST_SIZE_KEY), value: int32Value(length) });
