import type * as z from 'zod';

/** A schema of JSON Schema 2020-12. Named schemas are referred to as `#/components/schemas/<name>`. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Schemas by name. */
export type JsonSchemaComponents = Readonly<Record<string, JsonSchema>>;

/** A reference to a named schema. */
export const schemaNamed = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
