import * as z from 'zod';
import type { JsonSchema, JsonSchemaComponents } from '../contract/api/surfaces/json-schema.ts';

export interface JsonSchemas {
  /** All named schemas (`meta({ id })`), by name. A schema whose input differs from its output has two: `Tags` and `TagsInput`. */
  readonly components: JsonSchemaComponents;
  /** Input schemas, by the key they were registered with. */
  readonly inputs: Readonly<Record<string, JsonSchema>>;
  /** Output schemas, by the key they were registered with. */
  readonly outputs: Readonly<Record<string, JsonSchema>>;
}

type Schemas = Readonly<Record<string, z.ZodType>>;

/** Converts zod schemas to JSON Schema, with named schemas as shared components. `meta({ override })` expresses things that zod cannot. */
export const jsonSchemas = (inputs: Schemas, outputs: Schemas): JsonSchemas => {
  const outputForm = convert(outputs, 'output');
  const inputForm = convert(inputs, 'input');
  const differing = namesThatDiffer(outputForm.named, inputForm.named);
  const inputName = (name: string) => (differing.has(name) ? `${name}Input` : name);
  const outputComponents = Object.entries(outputForm.named).map(
    ([name, schema]) => [name, rewriteReferences(schema, (other) => other)] as const,
  );
  const inputComponents = Object.entries(inputForm.named).map(
    ([name, schema]) => [inputName(name), rewriteReferences(schema, inputName)] as const,
  );
  return {
    components: Object.fromEntries([...inputComponents, ...outputComponents].sort(([a], [b]) => (a < b ? -1 : 1))),
    inputs: rewriteReferences(inputForm.keyed, inputName),
    outputs: rewriteReferences(outputForm.keyed, (other) => other),
  };
};

interface Converted {
  readonly named: Readonly<Record<string, JsonSchema>>;
  readonly keyed: Readonly<Record<string, JsonSchema>>;
}

const LOCAL = '#/$defs/';

/** Converts the schemas as properties of one object, so that zod defines each named schema only once. */
const convert = (schemas: Schemas, io: 'input' | 'output'): Converted => {
  const nested: Record<string, JsonSchema> = {};
  const toJson = (schema: z.ZodType): JsonSchema => {
    const {
      $defs = {},
      $schema: _,
      ...json
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        // zod cannot know the output of a transform. Ours return their input, normalized.
        if (io === 'output' && isTransform(zodSchema)) Object.assign(jsonSchema, toJson(zodSchema.in as z.ZodType), jsonSchema); // zod types it as its core type
        tidy(jsonSchema);
      },
    });
    for (const [name, { id: _id, ...named }] of Object.entries($defs)) nested[name] = named as JsonSchema; // a definition is an object, never a boolean
    return json;
  };
  const { properties = {} } = toJson(z.object(schemas));
  return { named: nested, keyed: properties as Record<string, JsonSchema> }; // objects, too
};

const isTransform = (schema: unknown): schema is z.ZodPipe => schema instanceof z.ZodPipe && schema.out instanceof z.ZodTransform;

/**
 * Applies `override`, and removes noise: bounds that every JavaScript integer has, patterns that repeat a format, and
 * `additionalProperties: false`.
 */
const tidy = (schema: JsonSchema): void => {
  const { override } = schema;
  if (typeof override === 'object' && override !== null) {
    const { description } = schema;
    for (const key of Object.keys(schema)) delete schema[key];
    Object.assign(schema, override, description === undefined ? {} : { description });
  }
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  delete schema.propertyNames;
};

/** Names of schemas whose input and output forms differ, either themselves or in a schema that they refer to. */
const namesThatDiffer = (outputs: Converted['named'], inputs: Converted['named']): ReadonlySet<string> => {
  const differing = new Set<string>();
  const shared = Object.entries(inputs).flatMap(([name, schema]) => (name in outputs ? [{ name, text: JSON.stringify(schema) }] : []));
  for (const { name, text } of shared) if (JSON.stringify(outputs[name]) !== text) differing.add(name);
  for (let before = -1; before !== differing.size; ) {
    before = differing.size;
    for (const { name, text } of shared) if ([...differing].some((other) => text.includes(`"${LOCAL}${other}"`))) differing.add(name);
  }
  return differing;
};

/** Rewrites references to point to the components of the document. */
const rewriteReferences = <T>(value: T, rename: (name: string) => string): T => {
  const rewritten = (item: unknown, key?: string): unknown => {
    if (key === '$ref' && typeof item === 'string' && item.startsWith(LOCAL))
      return `#/components/schemas/${rename(item.slice(LOCAL.length))}`;
    if (Array.isArray(item)) return item.map((each) => rewritten(each));
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([name, each]) => [name, rewritten(each, name)]));
  };
  return rewritten(value) as T; // only the text of references changes
};
