import * as z from 'zod';
// Imported by name: bundlers would include `z.core` whole, with the messages of all languages.
import { $constructor, $ZodAsyncError, util } from 'zod/v4/core';

/**
 * Bounded strings, lists and maps for client input. The bound is checked before the elements, and at most a hundred faults are collected: a refusal
 * must not cost more than the input it refuses. zod's own lists and maps collect every fault, so `operation` does not accept them, or unbounded strings,
 * as input.
 */

/** Faults after which the rest of a list or map is not checked. One of them is reported. */
export const MOST_FAULTS = 100;

/** A text of at most `most` characters. A longer one is refused by its length alone, without further checks. */
export const textUpTo = (most: number): z.ZodString => z.string().max(most, { abort: true });

/** A list of at most `most` elements. */
export const list = <T extends z.ZodType>(element: T, most: number): z.ZodArray<T> =>
  new List({ type: 'array', element, most }) as z.ZodArray<T>; // of this very element

/** A map of names to values, at most `most` of them. */
export const mapOf = <T extends z.ZodType>(value: T, most: number): z.ZodRecord<z.ZodString, T> => {
  const map = new MapOf({ type: 'record', keyType: z.string(), valueType: value, most });
  return (map as z.ZodRecord<z.ZodString, T>).meta({ maxProperties: most }); // of these very values
};

interface Bounded {
  readonly most: number;
}

// Explicitly typed, because the compiler accepts assertion functions only with an explicit type annotation.
const asArray: (inst: z.ZodArray, def: z.core.$ZodArrayDef) => void = z.ZodArray.init;
const asRecord: (inst: z.ZodRecord, def: z.core.$ZodRecordDef) => void = z.ZodRecord.init;

const List: z.core.$constructor<z.ZodArray, z.core.$ZodArrayDef & Bounded> = $constructor('List', (inst, def) => {
  asArray(inst, def);
  const refuse = inst._zod.parse;
  inst._zod.bag.maximum = def.most;
  inst._zod.parse = (payload, context) => {
    const input = payload.value;
    if (!Array.isArray(input)) return refuse(payload, context);
    if (input.length > def.most) return tooBig(inst, payload, 'array', def.most);
    const values: unknown[] = [];
    payload.value = values;
    for (let i = 0; i < input.length && !isEnough(payload); i++) values.push(parsed(def.element, input[i], i, payload, context));
    return payload;
  };
});

const MapOf: z.core.$constructor<z.ZodRecord, z.core.$ZodRecordDef & Bounded> = $constructor('MapOf', (inst, def) => {
  asRecord(inst, def);
  const refuse = inst._zod.parse;
  inst._zod.parse = (payload, context) => {
    const input = payload.value;
    if (!util.isPlainObject(input)) return refuse(payload, context);
    const keys = Object.keys(input);
    if (keys.length > def.most) return tooBig(inst, payload, 'record', def.most);
    const values: Record<string, unknown> = {};
    payload.value = values;
    for (const key of keys) {
      if (isEnough(payload)) break;
      // Bodies were already refused, but values from a host hook were not. Assigning this key would set the prototype of the copy.
      if (key === '__proto__') payload.issues.push({ code: 'custom', message: 'must have no key __proto__', input, inst });
      else values[key] = parsed(def.valueType, input[key], key, payload, context);
    }
    return payload;
  };
});

type Payload = z.core.ParsePayload;

/** Returns the parsed value, and adds its faults to those of the whole. */
const parsed = (
  schema: z.core.$ZodType,
  value: unknown,
  key: PropertyKey,
  whole: Payload,
  context: z.core.ParseContextInternal,
): unknown => {
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new $ZodAsyncError();
  if (result.issues.length > 0) whole.issues.push(...util.prefixIssues(key, result.issues));
  return result.value;
};

/** Checks of the whole list must not run on a list whose elements were only partly checked. */
const isEnough = (payload: Payload): boolean => {
  if (payload.issues.length < MOST_FAULTS) return false;
  payload.aborted = true;
  return true;
};

const tooBig = <P extends Payload>(inst: z.core.$ZodType, payload: P, origin: 'array' | 'record', maximum: number): P => {
  payload.issues.push({ code: 'too_big', origin, maximum, inclusive: true, input: payload.value, inst });
  payload.aborted = true;
  return payload;
};
