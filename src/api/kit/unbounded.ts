import * as z from 'zod';

/**
 * The path to an unbounded string, list or map in an input schema, or to a schema that cannot be inspected, e.g. `.processes[].hashes`; undefined if
 * there is none. `unknown` is bounded by the limits of the whole document.
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
      return typeof (schema as z.ZodString).maxLength === 'number' ? undefined : ''; // this library has no other texts
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
      // The rest beyond its shape is unbounded.
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
      // The output of a pipe is checked after its bounds, unless nothing was checked before.
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
