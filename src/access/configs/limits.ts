/**
 * Config types contain schemas from third parties, and a schema determines how long validation takes. Two kinds of limits keep it short.
 *
 * When a schema is written: its size, its nesting, its patterns, and how far it unfolds for one value (`checkUnfolding` in `schema.ts`).
 * When data is checked: fuel. Every subschema that is applied to a value burns some, about one unit per 10 ns of work; a pattern burns fuel
 * in proportion to the length of the string. No loop or recursion can avoid this, so every check ends within a fraction of a second. A
 * static bound on recursion through items and properties would reject legitimate schemas.
 */
export const limits = Object.freeze({
  /** Bytes of the schema as JSON. */
  schemaBytes: 65_536,
  /** Nesting depth of objects and lists in a schema. */
  schemaDepth: 32,
  /** Subschemas in a schema that are objects; the largest built-in type has about 130. */
  subschemas: 1000,
  /** Subschemas that may apply to the same value, including through references. */
  unfolding: 10_000,
  /** Characters of a pattern. */
  patternLength: 1024,
  /** Total instructions of all patterns of a schema, with repetitions expanded (`a{1000}` has thousands); about 2 µs each to compile. */
  patternSize: 150_000,
  /** Nesting depth of objects and lists in data; the same limit as for request bodies. */
  dataDepth: 64,
  /** Total number of values in data, at all levels. */
  dataValues: 1_000_000,
  /** Fuel for the check whether data is valid. An intercept config of 1 MiB takes about half. */
  fuel: 20_000_000,
  /** Fuel for the second check, which collects the faults after the first. */
  faultFuel: 50_000,
});

/** Aborts a running validator; never escapes `schema.ts`. */
export class OutOfFuel extends Error {
  override readonly name = 'OutOfFuel';
}

export interface StepBudget {
  fill(units: number): void;
  /** @throws OutOfFuel */
  spend(units: number): void;
}

export const createStepBudget = (): StepBudget => {
  let left = 0;
  return {
    fill: (units) => {
      left = units;
    },
    spend: (units) => {
      left -= units;
      if (left < 0) throw new OutOfFuel();
    },
  };
};

/** @returns the limit that a value exceeds, as a reason; undefined if none. Also terminates for cyclic values. */
export const exceededLimit = (value: unknown, depth: number, values: number): string | undefined => {
  let left = values;
  const visit = (item: unknown, levels: number): string | undefined => {
    if (--left < 0) return `must not contain more than ${values} values`;
    if (typeof item !== 'object' || item === null) return undefined;
    if (levels === 0) return `must not be nested more than ${depth} levels deep`;
    for (const child of Object.values(item)) {
      const found = visit(child, levels - 1);
      if (found) return found;
    }
    return undefined;
  };
  return visit(value, depth);
};
