/**
 * The form of the keywords of each draft, in the order of its meta-schemas. Their annotations, such as formats, are left out, because they
 * have no effect.
 */
import type { Draft, SchemaObject } from './schema-graph.ts';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const number = { type: 'number' };
const count = { type: 'integer', minimum: 0 };
const list = { type: 'array' };
const schema = { $ref: '#' };
const schemas = { type: 'array', minItems: 1, items: schema };
const schemasByName = { type: 'object', additionalProperties: schema };
const names = { type: 'array', items: text, uniqueItems: true };
const schemasOrNames = { type: 'object', additionalProperties: { anyOf: [schema, names] } };
const typeName = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };
const type = { anyOf: [typeName, { type: 'array', items: typeName, minItems: 1, uniqueItems: true }] };
const multipleOf = { type: 'number', exclusiveMinimum: 0 };
const anchor = { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' };

const draft07 = {
  $id: text,
  $schema: text,
  $ref: text,
  $comment: text,
  title: text,
  description: text,
  readOnly: flag,
  examples: list,
  multipleOf,
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  pattern: text,
  additionalItems: schema,
  items: { anyOf: [schema, schemas] },
  maxItems: count,
  minItems: count,
  uniqueItems: flag,
  contains: schema,
  maxProperties: count,
  minProperties: count,
  required: names,
  additionalProperties: schema,
  definitions: schemasByName,
  properties: schemasByName,
  patternProperties: schemasByName,
  dependencies: schemasOrNames,
  propertyNames: schema,
  enum: { type: 'array', minItems: 1, uniqueItems: true },
  type,
  format: text,
  contentMediaType: text,
  contentEncoding: text,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: schema,
  else: schema,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: schema,
};

const draft2020 = {
  // From earlier drafts, and still supported.
  definitions: schemasByName,
  dependencies: schemasOrNames,
  $recursiveAnchor: anchor,
  $recursiveRef: text,
  // Core.
  $id: { type: 'string', pattern: '^[^#]*#?$' },
  $schema: text,
  $ref: text,
  $anchor: anchor,
  $dynamicRef: text,
  $dynamicAnchor: anchor,
  $vocabulary: { type: 'object', propertyNames: text, additionalProperties: flag },
  $comment: text,
  $defs: schemasByName,
  // Applicators.
  prefixItems: schemas,
  items: schema,
  contains: schema,
  additionalProperties: schema,
  properties: schemasByName,
  patternProperties: schemasByName,
  dependentSchemas: schemasByName,
  propertyNames: schema,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: schema,
  else: schema,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: schema,
  unevaluatedItems: schema,
  unevaluatedProperties: schema,
  // Validation.
  type,
  enum: list,
  multipleOf,
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  pattern: text,
  maxItems: count,
  minItems: count,
  uniqueItems: flag,
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  required: names,
  dependentRequired: { type: 'object', additionalProperties: names },
  // Annotations.
  title: text,
  description: text,
  deprecated: flag,
  readOnly: flag,
  writeOnly: flag,
  examples: list,
  format: text,
  contentEncoding: text,
  contentMediaType: text,
  contentSchema: schema,
};

const metaSchema = (properties: SchemaObject): SchemaObject => ({ type: ['object', 'boolean'], properties });

export const metaSchemas: Readonly<Record<Draft, SchemaObject>> = {
  'draft-07': metaSchema(draft07),
  '2020-12': metaSchema(draft2020),
};
