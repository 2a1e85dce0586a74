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

/** The keywords that constrain a value and contain no subschema. */
const ASSERTIONS = (
  'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format ' +
  'maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired'
).split(' ');
/** Keywords whose cost grows with the number of characters or properties. */
const PER_PART =
  'maxLength minLength additionalProperties patternProperties propertyNames maxProperties minProperties unevaluatedProperties'.split(' ');
/** Keywords for which `false` gives one fault for the whole value, or a fault that names the property. */
const PLAIN_FALSE: ReadonlySet<string> = new Set(['additionalItems', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties']);

/**
 * The value of the keyword `cost`: the fuel that applying a subschema to a value burns, in units, and whether to add the value's length.
 */
export type Cost = readonly [units: number, perPart: 0 | 1];

/**
 * The schema as the validator receives it: only keywords that have an effect, a `cost` in every subschema, and every target of a reference
 * moved to the `definitions` of the root, so that it is compiled once. It has no `$id` or `$schema`, nor anything else that a validator
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
    const subschemas = (children.get(schema) ?? []).filter(({ keyword }) => !DEFINITIONS.has(keyword));
    const assertions = ASSERTIONS.filter((keyword) => keyword in schema && hasEffect(keyword, schema[keyword])).map(
      (keyword) => [keyword, schema[keyword]] as const,
    );
    const byKeyword = Map.groupBy(subschemas, ({ keyword }) => keyword);
    const applied = APPLICATORS.filter((keyword) => keyword in schema).map(
      (keyword) =>
        [
          keyword,
          isAdditionalItems(keyword, schema) ? schema[keyword] : applicator(schema[keyword], keyword, byKeyword.get(keyword) ?? []),
        ] as const,
    );
    const ownLength =
      JSON.stringify([assertions, listsOf(schema.dependencies)]).length + subschemas.reduce((sum, { key }) => sum + (key?.length ?? 0), 0);
    const perPart = PER_PART.some((keyword) => keyword in schema) ? 1 : 0;
    const copied: Record<string, unknown> = {
      ...Object.fromEntries([...assertions, ...applied]),
      ...reference,
      cost: [2 + (ownLength >> 3), perPart] satisfies Cost,
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

/** `false` as an object, so that a list with a million forbidden items burns fuel for each of them. */
const NOTHING: SchemaObject = Object.freeze({ not: {}, cost: [2, 0] satisfies Cost });

/** True for `items` of 2020-12 that acts as `additionalItems` does in draft-07. */
const isAdditionalItems = (keyword: string, schema: SchemaObject): boolean =>
  keyword === 'items' && schema.items === false && 'prefixItems' in schema;

/**
 * False for a format that is not checked. The validator would look it up by name, and `constructor` would be found as an inherited
 * property.
 */
const hasEffect = (keyword: string, value: unknown): boolean => keyword !== 'format' || CHECKED_FORMATS.has(String(value));

/** `dependencies` may list property names instead of a schema. */
const listsOf = (dependencies: unknown): readonly (readonly [string, unknown])[] =>
  isObject(dependencies) ? Object.entries(dependencies).filter(([, item]) => Array.isArray(item)) : [];
