/**
 * Config types contain schemas of third parties, and a schema decides how long checking takes. Two kinds of bounds keep that short.
 *
 * When a schema is written: its size, nesting, patterns, and how far references unfold at one place (`schema-cost.ts`).
 * When data is checked: fuel. Every subschema that is applied to a value burns some, about one unit for 10 ns of work, as does every pattern by the
 * length of the string. No loop or recursion can avoid it, so any check ends within a fraction of a second; a static bound on recursion through items
 * and properties would refuse legitimate schemas instead.
 */
export const limits = Object.freeze({
  /** Bytes of the schema as JSON. */
  schemaBytes: 65_536,
  /** Objects and lists within each other in a schema. */
  schemaDepth: 32,
  /** Subschemas in a schema that are objects; the largest built-in type has about 130. */
  subschemas: 1000,
  /** Subschemas that may apply to one and the same value, references followed. */
  unfolding: 10_000,
  /** Characters of a pattern. */
  patternLength: 1024,
  /** Instructions of all patterns of a schema together, repetitions written out (`a{1000}` has thousands); about 2 µs each to compile. */
  patternSize: 150_000,
  /** Objects and lists within each other in data; as in request bodies. */
  dataDepth: 64,
  /** Values in data, all levels together. */
  dataValues: 1_000_000,
  /** Fuel of the check whether data is valid. An intercept config of 1 MiB takes about half. */
  fuel: 20_000_000,
  /** Fuel of the second check, which collects more faults than the first. */
  faultFuel: 50_000,
});

/** Thrown out of a running validator; never leaves `schema.ts`. */
export class OutOfFuel extends Error {
  override readonly name = 'OutOfFuel';
}

export interface Tank {
  fill(units: number): void;
  /** @throws OutOfFuel */
  burn(units: number): void;
}

export const createTank = (): Tank => {
  let left = 0;
  return {
    fill: (units) => {
      left = units;
    },
    burn: (units) => {
      left -= units;
      if (left < 0) throw new OutOfFuel();
    },
  };
};

/** @returns what is too much about a value, or undefined. Ends soon for cyclic values too. */
export const excess = (value: unknown, depth: number, values: number): string | undefined => {
  let left = values;
  const visit = (item: unknown, levels: number): string | undefined => {
    if (--left < 0) return `must not hold more than ${values} values`;
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
