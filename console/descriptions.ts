/** The compact form of the OpenAPI document that the console needs: rights of operations, and schemas of bodies. */

/** A schema of JSON Schema, with the keywords that forms use. */
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
}

export interface Descriptions {
  /** By operation id: the permissions of which one is needed; none suffices if the list is empty, and none is needed if there is no list. */
  readonly operations: Readonly<Record<string, { readonly permissions?: readonly string[]; readonly body?: FormSchema }>>;
  /** Named schemas, by the last part of their `$ref`. */
  readonly schemas: Readonly<Record<string, FormSchema>>;
}

interface Operation {
  readonly operationId: string;
  readonly 'x-permissions'?: readonly string[];
  readonly requestBody?: { readonly content?: { readonly 'application/json'?: { readonly schema?: FormSchema } } };
}

/** What is used of an OpenAPI document. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, FormSchema>> };
}

export const descriptionsOf = ({ paths, components }: OpenApi): Descriptions => {
  const schemas: Record<string, FormSchema> = {};
  const keep = (schema: FormSchema | undefined): void => {
    if (!schema) return;
    const name = schema.$ref && nameOf(schema.$ref);
    if (name && !schemas[name]) {
      schemas[name] = compact(components.schemas[name] ?? {});
      keep(components.schemas[name]);
    }
    const parts = [...Object.values(schema.properties ?? {}), ...(schema.oneOf ?? []), ...(schema.anyOf ?? []), schema.items];
    for (const part of parts) keep(part);
    if (typeof schema.additionalProperties === 'object') keep(schema.additionalProperties);
  };
  const operations = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(
      ({ operationId, 'x-permissions': permissions, requestBody }): [string, Descriptions['operations'][string]] => {
        const body = requestBody?.content?.['application/json']?.schema;
        keep(body);
        return [operationId, { ...(permissions ? { permissions } : {}), ...(body ? { body: compact(body) } : {}) }];
      },
    ),
  );
  return { operations: Object.fromEntries(operations), schemas };
};

/** The name of a schema that a reference means. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

const KEPT: readonly string[] = [
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
];

/** A schema without the keywords that forms do not use. */
const compact = (schema: FormSchema): FormSchema =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (!KEPT.includes(key)) return [];
      if (key === 'properties')
        return [[key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, compact(part as FormSchema)]))]];
      if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object')) return [[key, compact(value)]];
      if (key === 'oneOf' || key === 'anyOf') return [[key, value.map(compact)]];
      return [[key, value]];
    }),
  );
