import * as z from 'zod';
import { $constructor, $ZodAsyncError, util } from 'zod/v4/core';
// Imported by name: bundlers would include `z.core` whole, with the messages of all languages.

/**
 * Bounded strings, lists and maps for client input. The bound is checked before the elements, and at most a hundred faults are collected,
 * so that rejecting an input costs no more than accepting it. zod's own arrays and records collect every issue, so `operation` accepts
 * neither them nor unbounded strings in inputs.
 */

/** After this many faults, the remaining elements of a list or map are not checked. Only one fault is reported. */
export const MAX_FAULTS = 100;

/** A string of at most `max` characters. A longer one is refused without further checks. */
export const textUpTo = (max: number): z.ZodString => z.string().max(max, { abort: true });

/** A list of at most `max` elements. */
export const list = <T extends z.ZodType>(element: T, max: number): z.ZodArray<T> =>
  new List({ type: 'array', element, max }) as z.ZodArray<T>; // its elements are parsed by `element`

/** A map of names to values, with at most `max` entries. */
export const mapOf = <T extends z.ZodType>(value: T, max: number): z.ZodRecord<z.ZodString, T> => {
  const map = new MapOf({ type: 'record', keyType: z.string(), valueType: value, max });
  return (map as z.ZodRecord<z.ZodString, T>).meta({ maxProperties: max }); // its values are parsed by `value`
};

interface Bounded {
  readonly max: number;
}

// Explicitly typed, because the compiler accepts assertion functions only with an explicit type annotation.
const asArray: (inst: z.ZodArray, def: z.core.$ZodArrayDef) => void = z.ZodArray.init;
const asRecord: (inst: z.ZodRecord, def: z.core.$ZodRecordDef) => void = z.ZodRecord.init;

const List: z.core.$constructor<z.ZodArray, z.core.$ZodArrayDef & Bounded> = $constructor('List', (inst, def) => {
  asArray(inst, def);
  const parseOther = inst._zod.parse;
  inst._zod.bag.maximum = def.max;
  inst._zod.parse = (payload, context) => {
    const input = payload.value;
    if (!Array.isArray(input)) return parseOther(payload, context);
    if (input.length > def.max) return addTooBig(inst, payload, 'array', def.max);
    const values: unknown[] = [];
    payload.value = values;
    for (let i = 0; i < input.length && !abortAtMaxFaults(payload); i++) {
      const element = runOn(def.element, input[i], context);
      addIssues(payload, i, element.issues);
      values.push(element.value);
    }
    return payload;
  };
});

const MapOf: z.core.$constructor<z.ZodRecord, z.core.$ZodRecordDef & Bounded> = $constructor('MapOf', (inst, def) => {
  asRecord(inst, def);
  const parseOther = inst._zod.parse;
  inst._zod.parse = (payload, context) => {
    const input = payload.value;
    if (!util.isPlainObject(input)) return parseOther(payload, context);
    const keys = Object.keys(input);
    if (keys.length > def.max) return addTooBig(inst, payload, 'record', def.max);
    const values: Record<string, unknown> = {};
    payload.value = values;
    for (const key of keys) {
      if (abortAtMaxFaults(payload)) break;
      // Bodies with this key were already rejected, but values may also come from a host hook. Assigning the key would set the prototype of
      // the copy.
      if (key === '__proto__') {
        payload.issues.push({ code: 'custom', message: 'must not have the key __proto__', input, inst });
        continue;
      }
      const member = runOn(def.valueType, input[key], context);
      addIssues(payload, key, member.issues);
      values[key] = member.value;
    }
    return payload;
  };
});

type Payload = z.core.ParsePayload;

const runOn = (schema: z.core.$ZodType, value: unknown, context: z.core.ParseContextInternal): Payload => {
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new $ZodAsyncError();
  return result;
};

/** Adds the issues of an element to those of the list or map. */
const addIssues = (payload: Payload, key: PropertyKey, issues: Payload['issues']): void => {
  if (issues.length > 0) payload.issues.push(...util.prefixIssues(key, issues));
};

/** Aborts the payload if it has the maximum number of faults: checks of the whole list must not run on unchecked elements. */
const abortAtMaxFaults = (payload: Payload): boolean => {
  if (payload.issues.length < MAX_FAULTS) return false;
  payload.aborted = true;
  return true;
};

const addTooBig = <P extends Payload>(inst: z.core.$ZodType, payload: P, origin: 'array' | 'record', maximum: number): P => {
  payload.issues.push({ code: 'too_big', origin, maximum, inclusive: true, input: payload.value, inst });
  payload.aborted = true;
  return payload;
};
