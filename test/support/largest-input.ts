import type * as z from 'zod';

/** Characters of one value of an input: together they stay below what a body may have. */
const MOST = 900_000;

/** The largest value that a schema may take, as far as its bounds tell: not what else it asks of a text. */
export const largest = (schema: z.core.$ZodType, room = MOST): unknown => {
  const { def } = (schema as z.core.$ZodTypes)._zod; // every schema is one of zod's
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return largest(def.innerType, room);
    case 'pipe':
      return largest((def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in, room);
    case 'union':
      return def.options.map((option) => largest(option, room)).sort((a, b) => sizeOf(b) - sizeOf(a))[0];
    case 'enum':
      return Object.values(def.entries)[0];
    case 'literal':
      return def.values[0];
    case 'boolean':
      return true;
    case 'number':
      return 65_535;
    case 'array': {
      const item = largest(def.element, Math.min(room, 4096));
      const { most = 1000 } = def as { readonly most?: number };
      return Array(Math.min(most, Math.floor(room / (sizeOf(item) + 1)))).fill(item);
    }
    case 'record': {
      const value = largest(def.valueType, Math.min(room, 4096));
      const count = Math.min(10_000, Math.floor(room / (sizeOf(value) + 12)));
      return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
    }
    case 'object':
      return Object.fromEntries(largestFields(schema, Math.floor(room / Object.keys(def.shape).length)));
    default:
      return 'x'.repeat(Math.min(room, (schema as z.ZodString).maxLength ?? room));
  }
};

/** The fields of an object's schema, each as large as it may be. Other schemas have none. @param room of each */
export const largestFields = (schema: z.core.$ZodType | undefined, room = MOST): readonly (readonly [string, unknown])[] => {
  const { def } = (schema as z.core.$ZodTypes | undefined)?._zod ?? {};
  if (def?.type === 'pipe') return largestFields(def.out, room);
  if (def?.type !== 'object') return [];
  return Object.entries(def.shape).map(([name, field]) => [name, largest(field, room)]);
};

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
