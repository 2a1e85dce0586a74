/** The parts of the OpenAPI document that the console needs: the permissions of operations, and the schemas of bodies. */

/** A JSON Schema with the keywords that forms use. */
export interface FormSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, FormSchema>>;
  readonly required?: readonly string[];
  readonly items?: FormSchema;
  readonly additionalProperties?: FormSchema | boolean;
  readonly oneOf?: readonly FormSchema[];
  readonly anyOf?: readonly FormSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  /** The collection of the entities that the value names, and how: see `RefersTo` of the OpenAPI document. */
  readonly 'x-refers-to'?: { readonly collection: string; readonly by: 'id' | 'attribute' | 'selector'; readonly in?: 'keys' };
  /** The field with the id of the entity whose `schema` describes the value. */
  readonly 'x-schema-from'?: string;
}

/** The presentation of a field of an answer: a reference to another entity, a list of references, a point in time, or true and false. */
export type Shape = 'reference' | 'references' | 'date' | 'flag';

interface DescribedOperation {
  /** The permissions of which one is needed; none suffices if the list is empty, and none is needed if there is no list. */
  readonly permissions?: readonly string[];
  readonly body?: FormSchema;
  /** The shapes of the fields of the returned entity or entities. Other fields are plain values, or JSON without a fixed shape. */
  readonly shapes?: Readonly<Record<string, Shape>>;
}

export interface Descriptions {
  /** By operation id. */
  readonly operations: Readonly<Record<string, DescribedOperation>>;
  /** Named schemas, by the last part of their `$ref`. */
  readonly schemas: Readonly<Record<string, FormSchema>>;
}

interface Operation {
  readonly operationId: string;
  readonly 'x-permissions'?: readonly string[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}

interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema?: FormSchema } };
}

/** The used part of an OpenAPI document. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, FormSchema>>;
    readonly responses?: Readonly<Record<string, Content>>;
  };
}

export const descriptionsOf = ({ paths, components }: OpenApi): Descriptions => {
  const schemas: Record<string, FormSchema> = {};
  const collect = (schema: FormSchema | undefined): void => {
    if (!schema) return;
    const name = schema.$ref && nameOf(schema.$ref);
    if (name && !schemas[name]) {
      schemas[name] = compact(components.schemas[name] ?? {});
      collect(components.schemas[name]);
    }
    const subschemas = [...Object.values(schema.properties ?? {}), ...(schema.oneOf ?? []), ...(schema.anyOf ?? []), schema.items];
    for (const subschema of subschemas) collect(subschema);
    if (typeof schema.additionalProperties === 'object') collect(schema.additionalProperties);
  };
  const operations = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, 'x-permissions': permissions, requestBody, responses }): [string, DescribedOperation] => {
      const body = schemaOf(requestBody);
      collect(body);
      const shapes = shapesIn(components, responses?.['200']);
      return [
        operationId,
        {
          ...(permissions ? { permissions } : {}),
          ...(body ? { body: compact(body) } : {}),
          ...(Object.keys(shapes).length > 0 ? { shapes } : {}),
        },
      ];
    }),
  );
  return { operations: Object.fromEntries(operations), schemas };
};

const schemaOf = (holder: Content | undefined): FormSchema | undefined => holder?.content?.['application/json']?.schema;

/** The shapes of the fields of the entity in a response. */
const shapesIn = (
  { schemas, responses = {} }: OpenApi['components'],
  answer: (Content & { readonly $ref?: string }) | undefined,
): Readonly<Record<string, Shape>> => {
  const schema = schemaOf(answer?.$ref === undefined ? answer : responses[nameOf(answer.$ref)]);
  const data = schema?.properties?.['data'];
  const entity = data?.items ?? data;
  const fields = entity ? alternativesOf(schemas, entity).flatMap(({ properties = {} }) => Object.entries(properties)) : [];
  return Object.fromEntries(
    fields.flatMap(([name, field]): [string, Shape][] => {
      const shape = shapeOf(schemas, field);
      return shape === undefined ? [] : [[name, shape]];
    }),
  );
};

const shapeOf = (schemas: OpenApi['components']['schemas'], field: FormSchema): Shape | undefined => {
  if (isReference(field)) return 'reference';
  const alternatives = alternativesOf(schemas, field);
  if (alternatives.some(({ format }) => format === 'date-time')) return 'date';
  if (field.anyOf?.some(isReference)) return 'reference';
  if (alternatives.some(({ type }) => type === 'boolean')) return 'flag';
  return alternatives.some(({ items }) => items && isReference(items)) ? 'references' : undefined;
};

const isReference = ({ $ref = '' }: FormSchema): boolean => nameOf($ref) === 'EntityReference';

/** The alternatives of a schema, or the schema itself if it has none. */
const alternativesOf = (schemas: OpenApi['components']['schemas'], schema: FormSchema): readonly FormSchema[] => {
  if (schema.$ref !== undefined) return alternativesOf(schemas, schemas[nameOf(schema.$ref)] ?? {});
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return alternatives.length > 0 ? alternatives.flatMap((each) => alternativesOf(schemas, each)) : [schema];
};

/** The name of the schema that a `$ref` refers to. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

const KEYWORDS: readonly string[] = [
  '$ref',
  'type',
  'format',
  'description',
  'enum',
  'const',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'oneOf',
  'anyOf',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'x-refers-to',
  'x-schema-from',
];

/** A schema without the keywords that forms do not use. */
const compact = (schema: FormSchema): FormSchema =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (!KEYWORDS.includes(key)) return [];
      if (key === 'properties')
        return [[key, Object.fromEntries(Object.entries(value).map(([name, property]) => [name, compact(property as FormSchema)]))]];
      if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object')) return [[key, compact(value)]];
      if (key === 'oneOf' || key === 'anyOf') return [[key, value.map(compact)]];
      return [[key, value]];
    }),
  );
