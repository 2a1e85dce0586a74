import { keyOf } from '../../query/json-pointer.ts';
import { limits } from './limits.ts';
import { PatternRefused, type Patterns } from './patterns.ts';

/** A schema that is an object. Boolean schemas have no subschemas. */
export type SchemaObject = Readonly<Record<string, unknown>>;
export type Draft = 'draft-07' | '2020-12';

/** A subschema and its position. */
export interface Child {
  readonly keyword: string;
  /** Name or index within the keyword; undefined if the keyword's value is the subschema itself. */
  readonly key: string | undefined;
  readonly schema: SchemaObject | boolean;
}

/** A schema as a graph: every object that is a schema, its subschemas, and the targets of its references. */
export interface SchemaGraph {
  readonly root: SchemaObject;
  readonly children: ReadonlyMap<SchemaObject, readonly Child[]>;
  readonly references: ReadonlyMap<SchemaObject, readonly (SchemaObject | boolean)[]>;
}

export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
}

/** Keywords whose value is a schema. */
const SCHEMA_KEYWORDS = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
/** Keywords whose value is a list of schemas. */
const LIST_KEYWORDS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
/** Keywords whose value is an object with schemas. */
const MAP_KEYWORDS = ['definitions', '$defs', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'];

/** Keywords that hold subschemas and apply them. */
export const APPLICATORS: readonly string[] = [...new Set([...SCHEMA_KEYWORDS, ...LIST_KEYWORDS, ...MAP_KEYWORDS])].filter(
  (keyword) => keyword !== 'definitions' && keyword !== '$defs',
);
/** Keywords whose subschemas apply to the value itself, not to something inside it. */
export const IN_PLACE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'dependencies',
  'dependentSchemas',
  'else',
  'if',
  'not',
  'oneOf',
  'then',
]);
export const DEFINITIONS: ReadonlySet<string> = new Set(['definitions', '$defs']);

/**
 * Finds every subschema and resolves every reference; nothing is ever fetched.
 * @param assertSchema called for each reference target outside the known subschemas; throws if the target is not a valid schema
 * @throws SchemaRefused, with a reason for the caller
 */
export const readGraph = (root: SchemaObject, draft: Draft, patterns: Patterns, assertSchema: (schema: unknown) => void): SchemaGraph => {
  const children = new Map<SchemaObject, readonly Child[]>();
  const references = new Map<SchemaObject, readonly (SchemaObject | boolean)[]>();
  const anchors = new Map<string, SchemaObject>();

  const visit = (schema: SchemaObject) => {
    if (children.has(schema)) return;
    const subschemas = childrenOf(schema, draft);
    children.set(schema, subschemas);
    if (children.size > limits.subschemas) throw new SchemaRefused(`must not have more than ${limits.subschemas} subschemas`);
    if (schema !== root && typeof schema.$id === 'string' && !schema.$id.startsWith('#'))
      throw new SchemaRefused(`$id is only supported at the root, got "${schema.$id}" below it`);
    const names = [schema.$anchor, schema.$dynamicAnchor, schema === root ? undefined : schema.$id];
    for (const name of names) if (typeof name === 'string') anchors.set(name.replace(/^#/, ''), schema);
    checkPatterns(schema, subschemas, patterns);
    for (const { schema: child } of subschemas) if (typeof child === 'object') visit(child);
  };

  const target = (reference: string): SchemaObject | boolean => {
    const fragment = localFragment(reference, root.$id);
    const found = fragment === '' ? root : fragment.startsWith('/') ? valueAt(root, fragment) : anchors.get(fragment);
    if (found === undefined) throw new SchemaRefused(`reference "${reference}" cannot be resolved`);
    if (typeof found === 'boolean') return found;
    if (!isObject(found)) throw new SchemaRefused(`reference "${reference}" does not refer to a schema`);
    if (!children.has(found)) assertSchema(found);
    visit(found);
    return found;
  };

  visit(root);
  // Iteration over a map includes entries added during the iteration.
  for (const schema of children.keys()) {
    // Without nested `$id`s there is only one schema resource, in which a dynamic reference acts as an ordinary one.
    const referenceTexts = [schema.$ref, draft === '2020-12' ? schema.$dynamicRef : undefined].filter(
      (reference) => typeof reference === 'string',
    );
    if (referenceTexts.length > 0) references.set(schema, referenceTexts.map(target));
  }
  return { root, children, references };
};

const childrenOf = (schema: SchemaObject, draft: Draft): readonly Child[] => {
  const keywords = Object.keys(schema).filter((keyword) => !hidesSiblings(schema, draft) || DEFINITIONS.has(keyword));
  return keywords.flatMap((keyword): readonly Child[] => {
    const value = schema[keyword];
    if (LIST_KEYWORDS.includes(keyword) && Array.isArray(value)) return value.map((item, place) => child(keyword, String(place), item));
    if (SCHEMA_KEYWORDS.includes(keyword) && !Array.isArray(value)) return [child(keyword, undefined, value)];
    // `dependencies` may list property names instead of a schema.
    if (MAP_KEYWORDS.includes(keyword) && isObject(value))
      return Object.entries(value).flatMap(([key, item]) =>
        keyword === 'dependencies' && Array.isArray(item) ? [] : [child(keyword, key, item)],
      );
    return [];
  });
};

/** Draft-07 ignores all keywords next to `$ref`. */
export const hidesSiblings = (schema: SchemaObject, draft: Draft): boolean => draft === 'draft-07' && typeof schema.$ref === 'string';

const child = (keyword: string, key: string | undefined, schema: unknown): Child => {
  if (typeof schema !== 'boolean' && !isObject(schema))
    throw new SchemaRefused(`${key === undefined ? keyword : `${keyword}.${key}`} must be a schema: an object, true or false`);
  return { keyword, key, schema };
};

const checkPatterns = (schema: SchemaObject, subschemas: readonly Child[], patterns: Patterns) => {
  const found = subschemas.filter(({ keyword }) => keyword === 'patternProperties').map(({ key }) => key);
  for (const pattern of [schema.pattern, ...found]) {
    try {
      if (typeof pattern === 'string') patterns.compile(pattern);
    } catch (error) {
      throw error instanceof PatternRefused ? new SchemaRefused(error.message) : error;
    }
  }
};

const localFragment = (reference: string, id: unknown): string => {
  const [address = '', ...rest] = reference.split('#');
  const base = typeof id === 'string' ? id.replace(/#$/, '') : '';
  if (address !== '' && resolveAddress(address, base) !== resolveAddress(base, ''))
    throw new SchemaRefused(`reference "${reference}" refers to another document, which is not fetched`);
  try {
    return decodeURIComponent(rest.join('#'));
  } catch {
    throw new SchemaRefused(`reference "${reference}" is malformed`);
  }
};

/** Resolves an address for comparison; it is never fetched. */
const resolveAddress = (address: string, base: string): string => {
  const root = 'schema://local/';
  return URL.canParse(base, root) && URL.canParse(address, new URL(base, root).href)
    ? new URL(address, new URL(base, root)).href
    : `unreadable ${address}`;
};

const valueAt = (root: SchemaObject, pointer: string): unknown => {
  let value: unknown = root;
  for (const key of pointer.slice(1).split('/').map(keyOf)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as SchemaObject)[key]; // this also reads a list by index
  }
  return value;
};

export const isObject = (value: unknown): value is SchemaObject => typeof value === 'object' && value !== null && !Array.isArray(value);
