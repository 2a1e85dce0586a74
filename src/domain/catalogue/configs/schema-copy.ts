import { CHECKED_FORMATS } from './formats/index.ts';
import {
  APPLICATORS,
  type Child,
  DEFINITIONS,
  type Draft,
  hidesSiblings,
  isObject,
  type SchemaGraph,
  type SchemaObject,
} from './schema-graph.ts';

/** The keywords that say something about a value and hold no subschema. */
const ASSERTIONS = (
  'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format ' +
  'maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired'
).split(' ');
/** Keywords that look at each character or each property. */
const PER_PART =
  'maxLength minLength additionalProperties patternProperties propertyNames maxProperties minProperties unevaluatedProperties'.split(' ');
/** Where `false` gives one fault for the whole, or names the property. */
const PLAIN_FALSE: ReadonlySet<string> = new Set(['additionalItems', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties']);

/** The fuel that applying a subschema to a value burns: units, and whether the value's length is added. The value of keyword `cost`. */
export type Cost = readonly [units: number, perPart: 0 | 1];

/**
 * The schema as the validator gets it: only keywords that say something, a `cost` in every subschema, and every target of a reference
 * moved to `definitions` of the root, so that its check is made once. No `$id`, no `$schema`, nothing that the validator
 * would register or look up.
 */
export const copyForValidator = ({ root, children, references }: SchemaGraph, draft: Draft): SchemaObject => {
  const targets = new Map<SchemaObject | boolean, string>();
  for (const target of [...references.values()].flat()) if (!targets.has(target)) targets.set(target, `#/definitions/${targets.size}`);

  const place = (schema: SchemaObject | boolean, keyword: string): SchemaObject | boolean => {
    if (typeof schema === 'boolean') return schema || PLAIN_FALSE.has(keyword) ? schema : NOTHING;
    const reference = targets.get(schema);
    return reference === undefined ? copy(schema) : { $ref: reference, cost: [2, 0] satisfies Cost };
  };

  const copy = (schema: SchemaObject): SchemaObject => {
    const [reference, second] = (references.get(schema) ?? []).map((target) => ({ $ref: targets.get(target) }));
    if (hidesSiblings(schema, draft)) return { ...reference, cost: [2, 0] satisfies Cost };
    const below = (children.get(schema) ?? []).filter(({ keyword }) => !DEFINITIONS.has(keyword));
    const assertions = ASSERTIONS.filter((keyword) => keyword in schema && says(keyword, schema[keyword])).map(
      (keyword) => [keyword, schema[keyword]] as const,
    );
    const byKeyword = Map.groupBy(below, ({ keyword }) => keyword);
    const applied = APPLICATORS.filter((keyword) => keyword in schema).map(
      (keyword) =>
        [keyword, isRest(keyword, schema) ? schema[keyword] : applicator(schema[keyword], keyword, byKeyword.get(keyword) ?? [])] as const,
    );
    const own =
      JSON.stringify([assertions, listsOf(schema.dependencies)]).length + below.reduce((sum, { key }) => sum + (key?.length ?? 0), 0);
    const perPart = PER_PART.some((keyword) => keyword in schema) ? 1 : 0;
    const copied: Record<string, unknown> = {
      ...Object.fromEntries([...assertions, ...applied]),
      ...reference,
      cost: [2 + (own >> 3), perPart] satisfies Cost,
    };
    if (second) copied.allOf = [...((copied.allOf as unknown[] | undefined) ?? []), second]; // a list, by its entries above
    return copied;
  };

  const applicator = (value: unknown, keyword: string, entries: readonly Child[]): unknown => {
    if (Array.isArray(value)) return entries.map((entry) => place(entry.schema, keyword));
    if (entries.length === 1 && entries[0]?.key === undefined) return place(entries[0]?.schema ?? true, keyword);
    const lists = keyword === 'dependencies' ? listsOf(value) : [];
    return Object.fromEntries([...lists, ...entries.map((entry) => [entry.key, place(entry.schema, keyword)])]);
  };

  const definitions = [...targets].map(([target, address]) => [
    address.slice('#/definitions/'.length),
    typeof target === 'object' ? copy(target) : target ? { cost: [1, 0] } : NOTHING,
  ]);
  return { ...(place(root, '') as SchemaObject), definitions: Object.fromEntries(definitions) };
};

/** `false` as an object: a list of a million items that may not be there must burn fuel for each. */
const NOTHING: SchemaObject = Object.freeze({ not: {}, cost: [2, 0] satisfies Cost });

/** In 2020-12 `items` is what `additionalItems` was. */
const isRest = (keyword: string, schema: SchemaObject): boolean => keyword === 'items' && schema.items === false && 'prefixItems' in schema;

/** A format that is not checked says nothing; the validator would look it up where `constructor` is to be found, too. */
const says = (keyword: string, value: unknown): boolean => keyword !== 'format' || CHECKED_FORMATS.has(String(value));

/** `dependencies` may name properties instead of a schema. */
const listsOf = (dependencies: unknown): readonly (readonly [string, unknown])[] =>
  isObject(dependencies) ? Object.entries(dependencies).filter(([, item]) => Array.isArray(item)) : [];
