import * as z from 'zod';
import type { JsonSchema, JsonSchemaComponents } from '../api/surfaces/json-schema.ts';

export interface JsonSchemas {
  /** All named schemas (`meta({ id })`), by name. A schema whose input differs from its output has two: `Tags` and `TagsInput`. */
  readonly components: JsonSchemaComponents;
  /** Input schemas, by the key they were registered with. */
  readonly inputs: Readonly<Record<string, JsonSchema>>;
  /** Output schemas. */
  readonly outputs: Readonly<Record<string, JsonSchema>>;
}

type Schemas = Readonly<Record<string, z.ZodType>>;

/** Converts zod schemas to JSON Schema, with named schemas shared. `meta({ override })` adds what zod cannot express. */
export const jsonSchemas = (inputs: Schemas, outputs: Schemas): JsonSchemas => {
  const given = convert(outputs, 'output');
  const taken = convert(inputs, 'input');
  const differing = namesThatDiffer(given.named, taken.named);
  const inputName = (name: string) => (differing.has(name) ? `${name}Input` : name);
  const givenNames = Object.entries(given.named).map(([name, schema]) => [name, refer(schema, (other) => other)] as const);
  const takenNames = Object.entries(taken.named).map(([name, schema]) => [inputName(name), refer(schema, inputName)] as const);
  return {
    components: Object.fromEntries([...takenNames, ...givenNames].sort(([a], [b]) => (a < b ? -1 : 1))),
    inputs: refer(taken.keyed, inputName),
    outputs: refer(given.keyed, (other) => other),
  };
};

interface Converted {
  readonly named: Readonly<Record<string, JsonSchema>>;
  readonly keyed: Readonly<Record<string, JsonSchema>>;
}

const LOCAL = '#/$defs/';

/** The schemas are properties of one object, so that zod sees them together and names each shared one once. */
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
        if (io === 'output' && isTransform(zodSchema)) Object.assign(jsonSchema, toJson(zodSchema.in as z.ZodType), jsonSchema); // any schema of zod's is one
        tidy(jsonSchema);
      },
    });
    for (const [name, { id: _id, ...named }] of Object.entries($defs)) nested[name] = named as JsonSchema; // a definition is an object, never a boolean
    return json;
  };
  const { properties = {} } = toJson(z.object(schemas));
  return { named: nested, keyed: properties as Record<string, JsonSchema> }; // the same
};

const isTransform = (schema: unknown): schema is z.ZodPipe => schema instanceof z.ZodPipe && schema.out instanceof z.ZodTransform;

/** Removes noise: bounds that every JavaScript integer has, the pattern of a date beside its format, closed objects. */
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

/** Names whose two forms differ, and those that refer to such a name. */
const namesThatDiffer = (given: Converted['named'], taken: Converted['named']): ReadonlySet<string> => {
  const differing = new Set<string>();
  const shared = Object.entries(taken).flatMap(([name, schema]) => (name in given ? [{ name, text: JSON.stringify(schema) }] : []));
  for (const { name, text } of shared) if (JSON.stringify(given[name]) !== text) differing.add(name);
  for (let before = -1; before !== differing.size; ) {
    before = differing.size;
    for (const { name, text } of shared) if ([...differing].some((other) => text.includes(`"${LOCAL}${other}"`))) differing.add(name);
  }
  return differing;
};

/** The same with references into the document's components. */
const refer = <T>(value: T, rename: (name: string) => string): T => {
  const referred = (item: unknown, key?: string): unknown => {
    if (key === '$ref' && typeof item === 'string' && item.startsWith(LOCAL))
      return `#/components/schemas/${rename(item.slice(LOCAL.length))}`;
    if (Array.isArray(item)) return item.map((each) => referred(each));
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([name, each]) => [name, referred(each, name)]));
  };
  return referred(value) as T; // only texts of references change
};
