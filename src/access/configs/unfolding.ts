import { limits } from './limits.ts';
import { DEFINITIONS, IN_PLACE, type SchemaGraph, type SchemaObject, SchemaRefused } from './schema-graph.ts';

/**
 * Limits how many subschemas apply to the same value: `allOf`, `if`, `$ref` and similar keywords apply subschemas in place.
 * A schema that refers to itself in this way would recurse infinitely, and one whose definitions each use the next one twice would take
 * exponential time. Both are refused when the schema is written.
 * @throws SchemaRefused for such a schema
 */
export const checkUnfolding = ({ children, references }: SchemaGraph): void => {
  const costs = new Map<SchemaObject, number | 'open'>();
  const cost = (schema: SchemaObject): number => {
    const known = costs.get(schema);
    if (known === 'open') throw new SchemaRefused('the schema refers to itself without descending into an item or a property');
    if (known !== undefined) return known;
    costs.set(schema, 'open');
    let sum = 1;
    for (const next of inPlace(schema)) {
      sum += cost(next);
      if (sum > limits.unfolding) throw new SchemaRefused(`the schema unfolds to more than ${limits.unfolding} subschemas for one value`);
    }
    costs.set(schema, sum);
    return sum;
  };
  const inPlace = (schema: SchemaObject): readonly SchemaObject[] =>
    [
      ...(references.get(schema) ?? []),
      ...(children.get(schema) ?? [])
        .filter(({ keyword }) => IN_PLACE.has(keyword) && !DEFINITIONS.has(keyword))
        .map((child) => child.schema),
    ].filter((next) => typeof next === 'object');
  for (const schema of children.keys()) cost(schema);
};
