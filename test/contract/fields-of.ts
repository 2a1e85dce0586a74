/** The fields that a JSON schema declares, in depth: by path, with the values of enumerations. */
import type { JsonSchema } from '../../src/contract/api/surfaces/json-schema.ts';

/** A JSON schema, as far as it declares fields. */
export type FieldSchema = Pick<
  JsonSchema,
  '$ref' | 'allOf' | 'anyOf' | 'oneOf' | 'type' | 'properties' | 'items' | 'additionalProperties' | 'enum' | 'const'
>;

/** What stands in place of a list of values: any value of a type, or any value at all, with any fields. */
export const ANY_OF_TYPE = Symbol('any value of its type');
export const ANYTHING = Symbol('any value');

/** Values by path, such as `data[].postureQueries[].policyId`, or `tags.*` for the values of a map. */
export type FieldTable = ReadonlyMap<string, ReadonlySet<unknown>>;

type Part = FieldSchema | boolean;

/** @param definitions the schemas to which references lead, by their last segment */
export const fieldsOfSchema = (schema: FieldSchema, definitions: Readonly<Record<string, FieldSchema>>): FieldTable => {
  const table = new Map<string, Set<unknown>>();
  const visit = (path: string, part: Part, within: readonly string[]): void => {
    if (typeof part === 'boolean') return;
    if (part.$ref !== undefined) {
      const name = part.$ref.slice(part.$ref.lastIndexOf('/') + 1);
      if (!within.includes(name)) visit(path, definitions[name] ?? {}, [...within, name]);
      return;
    }
    const values = table.get(path) ?? new Set();
    table.set(path, values);
    for (const value of valuesOf(part)) values.add(value);
    for (const alternative of alternativesOf(part)) visit(path, alternative, within);
    for (const [name, property] of Object.entries(part.properties ?? {})) visit(path === '' ? name : `${path}.${name}`, property, within);
    for (const item of [part.items ?? []].flat()) visit(`${path}[]`, item, within);
    if (part.additionalProperties !== undefined) visit(`${path}.*`, part.additionalProperties, within);
  };
  visit('', schema, []);
  return table;
};

const alternativesOf = ({ allOf = [], anyOf = [], oneOf = [] }: FieldSchema): readonly Part[] => [...allOf, ...anyOf, ...oneOf];

const valuesOf = (part: FieldSchema): readonly unknown[] => {
  if (part.enum) return part.enum;
  if (part.const !== undefined) return [part.const];
  if (alternativesOf(part).length > 0) return [];
  return [Object.keys(part).some((key) => key !== 'description') ? ANY_OF_TYPE : ANYTHING];
};
