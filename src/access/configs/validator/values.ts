/** Keywords about a value by itself. */
import { isSameJson } from '../../../store/storage/same-json.ts';
import { type Keyword, limited } from './check.ts';

const TYPES: Readonly<Record<string, (data: unknown) => boolean>> = {
  null: (data) => data === null,
  boolean: (data) => typeof data === 'boolean',
  string: (data) => typeof data === 'string',
  number: (data) => typeof data === 'number',
  integer: (data) => Number.isInteger(data),
  array: (data) => Array.isArray(data),
  object: (data) => typeof data === 'object' && data !== null && !Array.isArray(data),
};

const type: Keyword = (value, _schema, _engine, fail) => {
  const tests = [value].flat().map((name) => TYPES[String(name)]);
  return (data, at) => tests.some((test) => test?.(data)) || fail(data, at, { type: value });
};

const enumeration: Keyword = (value, _schema, _engine, fail) => {
  const allowedValues = value as readonly unknown[]; // the schema has been validated
  return (data, at) => allowedValues.some((allowed) => isSameJson(allowed, data)) || fail(data, at, { allowedValues });
};

const constant: Keyword = (allowedValue, _schema, _engine, fail) => (data, at) =>
  isSameJson(allowedValue, data) || fail(data, at, { allowedValue });

const numberIn = (data: unknown): number | undefined => (typeof data === 'number' ? data : undefined);
const bound = (comparison: string, isWithin: (data: number, limit: number) => boolean): Keyword =>
  limited(numberIn, isWithin, { comparison });

/** Rounded to eight decimals, so that 19.99 is a multiple of 0.01. */
const multipleOf: Keyword = (value, _schema, _engine, fail) => (data, at) => {
  if (typeof data !== 'number') return true;
  const times = data / Number(value);
  return Math.abs(Math.round(times) - times) <= 1e-8 || fail(data, at, { multipleOf: value });
};

/** The number of code points: a surrogate pair counts as one. */
const lengthOf = (data: unknown): number | undefined => {
  if (typeof data !== 'string') return undefined;
  let length = 0;
  for (const _ of data) length++;
  return length;
};

const pattern: Keyword = (value, _schema, { patterns }, fail) => {
  const compiled = patterns.compile(String(value));
  return (data, at) => typeof data !== 'string' || compiled.test(data) || fail(data, at, { pattern: value });
};

const format: Keyword = (value, _schema, { formats }, fail) => {
  const test = Object.hasOwn(formats, String(value)) ? formats[String(value)] : undefined;
  return (data, at) => typeof data !== 'string' || !test || test(data) || fail(data, at, { format: value });
};

/** Charges the cost of applying the subschema, each time it is applied. */
const cost: Keyword = (value, _schema, { budget }) => {
  const [units, perPart] = value as readonly [number, 0 | 1]; // written by copyForValidator
  return (data) => {
    if (!perPart) budget.spend(units);
    else if (typeof data === 'string') budget.spend(units + (data.length >> 4));
    else budget.spend(units + (typeof data === 'object' && data !== null ? Object.keys(data).length : 0));
    return true;
  };
};

const atLeast = (data: number, limit: number): boolean => data >= limit;
const atMost = (data: number, limit: number): boolean => data <= limit;

export const ofValues: Readonly<Record<string, Keyword>> = {
  cost,
  type,
  const: constant,
  enum: enumeration,
  maximum: bound('<=', atMost),
  minimum: bound('>=', atLeast),
  exclusiveMaximum: bound('<', (data, limit) => data < limit),
  exclusiveMinimum: bound('>', (data, limit) => data > limit),
  multipleOf,
  maxLength: limited(lengthOf, atMost),
  minLength: limited(lengthOf, atLeast),
  pattern,
  format,
};
