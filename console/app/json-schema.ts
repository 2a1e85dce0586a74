/** JSON Schemas of config types, as forms need them. They may be recursive, huge or hostile: nothing here runs longer than its limits. */

export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema | boolean | readonly JsonSchema[];
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Steps through references and parts that one schema may take. */
const MAX_STEPS = 200;

/** The schema at a reference within the root, such as `#/definitions/port`. References to elsewhere are not followed. */
const schemaAt = (root: JsonSchema, ref: string): JsonSchema | undefined => {
  if (!ref.startsWith('#')) return undefined;
  const found = ref
    .slice(1)
    .split('/')
    .slice(1)
    .map(unescaped)
    .reduce<unknown>((inner, step) => (Object.hasOwn(Object(inner), step) ? Object(inner)[step] : undefined), root);
  return isObject(found) ? found : undefined;
};

const unescaped = (step: string): string => {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * A schema with what it refers to and the parts of `allOf` merged into it. Conditions (`if`) count where the value decides them.
 * @param value the present value
 */
export const resolvedSchema = (root: JsonSchema, schema: unknown, value: unknown): JsonSchema => {
  const budget = { steps: MAX_STEPS };
  const resolve = (given: unknown): JsonSchema => {
    budget.steps -= 1;
    if (!isObject(given) || budget.steps < 0) return {};
    const { $ref, allOf, if: condition, then: whenTrue, else: whenFalse, ...own } = given as JsonSchema;
    const target = typeof $ref === 'string' ? schemaAt(root, $ref) : undefined;
    const parts: unknown[] = [...(target ? [target] : []), ...(Array.isArray(allOf) ? allOf : [])];
    const decided = condition === undefined ? undefined : matches(root, condition, value, budget);
    if (decided !== undefined) parts.push(decided ? whenTrue : whenFalse);
    return parts
      .filter(isObject)
      .map(resolve)
      .reduceRight<JsonSchema>((merged, part) => mergedSchema(part, merged), own);
  };
  return resolve(schema);
};

/** Both schemas as one. Of a keyword that both have, the value of `over` counts, but for properties and what is required. */
const mergedSchema = (under: JsonSchema, over: JsonSchema): JsonSchema => ({
  ...under,
  ...over,
  ...(isObject(under.properties) || isObject(over.properties) ? { properties: { ...under.properties, ...over.properties } } : {}),
  ...(Array.isArray(under.required) || Array.isArray(over.required)
    ? { required: [...new Set([...namesIn(under.required), ...namesIn(over.required)])] }
    : {}),
});

const namesIn = (required: unknown): readonly string[] =>
  Array.isArray(required) ? required.filter((each) => typeof each === 'string') : [];

export const isSameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export const includesJson = (values: readonly unknown[], value: unknown): boolean => values.some((each) => isSameJson(each, value));

export const typeOfJson = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;

const DECIDABLE: readonly string[] = ['type', 'const', 'enum', 'required', 'properties', 'additionalProperties', '$ref', 'allOf'];
const ANNOTATIONS: readonly string[] = [
  'title',
  'description',
  'default',
  'examples',
  '$id',
  '$schema',
  'definitions',
  '$defs',
  'deprecated',
];

/** True if a value has the form that a schema describes; undefined if it has keywords that only the controller judges. */
export const matches = (root: JsonSchema, schema: unknown, value: unknown, budget = { steps: MAX_STEPS }): boolean | undefined => {
  if (typeof schema === 'boolean') return schema;
  budget.steps -= 1;
  if (!isObject(schema) || budget.steps < 0) return undefined;
  const { $ref, allOf, ...own } = schema as JsonSchema;
  const results = [
    ...(typeof $ref === 'string' ? [matches(root, schemaAt(root, $ref), value, budget)] : []),
    ...(Array.isArray(allOf) ? allOf.slice(0, MAX_STEPS).map((part) => matches(root, part, value, budget)) : []),
    ownMatch(root, own, value, budget),
  ];
  if (results.includes(false)) return false;
  const isKnown = Object.keys(schema).every((keyword) => DECIDABLE.includes(keyword) || ANNOTATIONS.includes(keyword));
  return isKnown && !results.includes(undefined) ? true : undefined;
};

const ownMatch = (root: JsonSchema, schema: JsonSchema, value: unknown, budget: { steps: number }): boolean | undefined => {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const type = typeOfJson(value);
  if (types.length > 0 && !types.includes(type) && !(type === 'integer' && types.includes('number'))) return false;
  if (Object.hasOwn(schema, 'const') && !isSameJson(schema.const, value)) return false;
  if (Array.isArray(schema.enum) && !includesJson(schema.enum, value)) return false;
  if (!isObject(value)) return true;
  if (namesIn(schema.required).some((name) => !Object.hasOwn(value, name))) return false;
  const properties = isObject(schema.properties) ? schema.properties : {};
  if (schema.additionalProperties === false && Object.keys(value).some((name) => !Object.hasOwn(properties, name))) return false;
  const results = Object.entries(properties)
    .filter(([name]) => Object.hasOwn(value, name))
    .map(([name, part]) => matches(root, part, value[name], budget));
  return results.includes(false) ? false : results.includes(undefined) ? undefined : true;
};

/** The names of the properties that an object must have. */
export const requiredOf = ({ required }: JsonSchema): readonly string[] => namesIn(required);

/** The alternatives of a schema without `null`; none if it has no alternatives. */
export const alternativesOf = (root: JsonSchema, { oneOf, anyOf }: JsonSchema): readonly JsonSchema[] => {
  const all = (Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : []) as readonly JsonSchema[];
  return all.filter((each) => isObject(each) && resolvedSchema(root, each, undefined).type !== 'null').slice(0, 50);
};

/** The first type that is not `null`. */
export const mainType = ({ type, properties, items }: JsonSchema): string | undefined => {
  const given = Array.isArray(type) ? type.find((each) => each !== 'null') : type;
  if (typeof given === 'string') return given;
  return isObject(properties) ? 'object' : isObject(items) ? 'array' : undefined;
};

/** The control for a value of a schema. `raw`: JSON, for what no control expresses. */
export type JsonControl =
  | 'object'
  | 'map'
  | 'list'
  | 'lines'
  | 'checks'
  | 'choice'
  | 'flag'
  | 'yesNo'
  | 'number'
  | 'text'
  | 'constant'
  | 'raw';

/** Choices that are shown as check boxes, at most. */
const MAX_CHECKS = 12;

/** The control for the present value: one that cannot show it as it is, is not chosen. */
export const controlOf = (root: JsonSchema, schema: JsonSchema, value: unknown): JsonControl => {
  if (Object.hasOwn(schema, 'const')) return value === undefined || isSameJson(value, schema.const) ? 'constant' : 'raw';
  const type = mainType(schema);
  const isAbsent = value === undefined || value === null;
  if (Array.isArray(schema.enum)) {
    if (!isAbsent && !includesJson(schema.enum, value)) return 'raw';
    return isSameJson(schema.enum, [true]) ? 'flag' : 'choice';
  }
  if (type === 'array') return isAbsent || Array.isArray(value) ? listControlOf(root, schema, value ?? []) : 'raw';
  if (type === 'object') {
    if (!isAbsent && !isObject(value)) return 'raw';
    if (isObject(schema.properties)) return 'object';
    return isObject(schema.additionalProperties) && Object.keys(schema.additionalProperties).length > 0 ? 'map' : 'raw';
  }
  if (type === 'boolean') return isAbsent || typeof value === 'boolean' ? 'yesNo' : 'raw';
  if (type === 'integer' || type === 'number') return isAbsent || typeof value === 'number' ? 'number' : 'raw';
  return type === 'string' && (isAbsent || typeof value === 'string') ? 'text' : 'raw';
};

const listControlOf = (root: JsonSchema, { items }: JsonSchema, value: unknown): JsonControl => {
  if (!isObject(items)) return 'raw';
  const item = resolvedSchema(root, items, undefined);
  const values = value as readonly unknown[]; // checked by the caller
  if (Array.isArray(item.enum)) {
    const choices = item.enum;
    const isUnique = new Set(values.map((each) => JSON.stringify(each))).size === values.length;
    const isExpressible = isUnique && values.every((each) => includesJson(choices, each));
    return choices.length <= MAX_CHECKS && isExpressible ? 'checks' : 'list';
  }
  const isPlain = item.type === 'string' && !Array.isArray(item.oneOf) && !Array.isArray(item.anyOf);
  return isPlain && values.every((each) => typeof each === 'string' && each.trim() === each && each !== '' && !each.includes('\n'))
    ? 'lines'
    : 'list';
};

/** An object with a changed property; without it for undefined. */
export const withProperty = (object: JsonObject, name: string, value: unknown): JsonObject =>
  value === undefined
    ? Object.fromEntries(Object.entries(object).filter(([each]) => each !== name))
    : Object.hasOwn(object, name)
      ? Object.fromEntries(Object.entries(object).map(([each, old]) => [each, each === name ? value : old]))
      : Object.fromEntries([...Object.entries(object), [name, value]]);

/** Deeper values are entered as JSON. */
export const MAX_DEPTH = 10;
/** Required objects below this depth appear when they are added: a schema may require itself several times. */
export const MAX_EXPANDED = 1;

/** The value of what is added: with the constants and defaults of what is required. */
export const newValue = (root: JsonSchema, given: unknown, depth = 0): unknown => {
  const schema = resolvedSchema(root, given, undefined);
  if (Object.hasOwn(schema, 'const')) return schema.const;
  if (Object.hasOwn(schema, 'default')) return schema.default;
  const [alternative] = alternativesOf(root, schema);
  if (alternative) return depth > MAX_EXPANDED ? undefined : newValue(root, alternative, depth + 1);
  const type = mainType(schema);
  if (type === 'array') return [];
  if (type !== 'object' || depth > MAX_EXPANDED) return undefined;
  const { properties } = schema;
  const required = requiredOf(schema).filter((name) => isObject(properties) && Object.hasOwn(properties, name));
  return Object.fromEntries(
    required.flatMap((name): [string, unknown][] => {
      const value = newValue(root, properties?.[name], depth + 1);
      return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[name, value]];
    }),
  );
};
