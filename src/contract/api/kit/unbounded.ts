import * as z from 'zod';

/**
 * The path to an unbounded string, list or map in an input schema, or to a schema that cannot be inspected, e.g. `.processes[].hashes`;
 * undefined if everything is bounded. `unknown` is considered bounded, because the size of the whole document is limited.
 */
export const unboundedIn = (schema: z.core.$ZodType): string | undefined => {
  if (!cache.has(schema)) cache.set(schema, search(schema as z.core.$ZodTypes)); // every schema is one of zod's built-in types
  return cache.get(schema);
};

const cache = new WeakMap<z.core.$ZodType, string | undefined>();

const search = (schema: z.core.$ZodTypes): string | undefined => {
  const { def } = schema._zod;
  switch (def.type) {
    case 'string':
      return typeof (schema as z.ZodString).maxLength === 'number' ? undefined : ''; // every string schema of zod has `maxLength`
    case 'number':
    case 'boolean':
    case 'null':
    case 'enum':
    case 'literal':
    case 'unknown':
    case 'transform':
      return undefined;
    case 'array':
      return 'max' in def ? prefixed('[]', def.element) : '[]'; // only `list` sets `max`
    case 'record':
      return hasBound(schema) ? prefixed('{}', def.valueType) : '{}';
    case 'object':
      // A catchall admits any number of other keys.
      if (def.catchall && def.catchall._zod.def.type !== 'never') return '{}';
      return first(Object.entries(def.shape).map(([name, value]) => prefixed(`.${name}`, value)));
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return unboundedIn(def.innerType);
    case 'union':
      return first(def.options.map(unboundedIn));
    case 'pipe':
      // A pipe checks its input schema first, so the bounds must be there, unless that schema accepts anything.
      return isOpen(def.in) ? unboundedIn(def.out) : unboundedIn(def.in);
    default:
      return `<${def.type}>`;
  }
};

const prefixed = (step: string, schema: z.core.$ZodType): string | undefined => {
  const found = unboundedIn(schema);
  return found === undefined ? undefined : step + found;
};

const first = (found: readonly (string | undefined)[]): string | undefined => found.find((path) => path !== undefined);

/** True if the metadata of a map declares a bound, as that of `mapOf` does. */
const hasBound = (schema: z.core.$ZodType): boolean => typeof z.globalRegistry.get(schema)?.['maxProperties'] === 'number';

const isOpen = (schema: z.core.$ZodType): boolean => ['transform', 'unknown'].includes(schema._zod.def.type);
