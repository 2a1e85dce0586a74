import * as z from 'zod';

/**
 * Where a schema of input takes a text, a list or a map without a bound, or what cannot be looked into: the way there, e.g. `.processes[].hashes`. Undefined when
 * there is no such place. What is `unknown` has the bounds of the document that it comes in.
 */
export const unboundedIn = (schema: z.core.$ZodType): string | undefined => {
  if (!known.has(schema)) known.set(schema, search(schema as z.core.$ZodTypes)); // every schema is one of zod's
  return known.get(schema);
};

const known = new WeakMap<z.core.$ZodType, string | undefined>();

const search = (schema: z.core.$ZodTypes): string | undefined => {
  const { def } = schema._zod;
  switch (def.type) {
    case 'string':
      return typeof (schema as z.ZodString).maxLength === 'number' ? undefined : ''; // texts of this library are no others
    case 'number':
    case 'boolean':
    case 'null':
    case 'enum':
    case 'literal':
    case 'unknown':
    case 'transform':
      return undefined;
    case 'array':
      return 'most' in def ? below('[]', def.element) : '[]';
    case 'record':
      return hasBound(schema) ? below('{}', def.valueType) : '{}';
    case 'object':
      // What it takes beside its shape has no number.
      if (def.catchall && def.catchall._zod.def.type !== 'never') return '{}';
      return first(Object.entries(def.shape).map(([name, value]) => below(`.${name}`, value)));
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return unboundedIn(def.innerType);
    case 'union':
      return first(def.options.map(unboundedIn));
    case 'pipe':
      // What comes behind sees what has been held against its bounds, unless nothing has been checked yet.
      return isOpen(def.in) ? unboundedIn(def.out) : unboundedIn(def.in);
    default:
      return `<${def.type}>`;
  }
};

const below = (step: string, schema: z.core.$ZodType): string | undefined => {
  const found = unboundedIn(schema);
  return found === undefined ? undefined : step + found;
};

const first = (found: readonly (string | undefined)[]): string | undefined => found.find((way) => way !== undefined);

/** `mapOf` has one; other maps say it themselves. */
const hasBound = (schema: z.core.$ZodType): boolean => typeof z.globalRegistry.get(schema)?.['maxProperties'] === 'number';

const isOpen = (schema: z.core.$ZodType): boolean => ['transform', 'unknown'].includes(schema._zod.def.type);
