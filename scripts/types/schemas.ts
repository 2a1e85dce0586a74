import * as z from 'zod';

/** The two forms of a schema: the type that it accepts, and the type that it produces. */
export type Form = 'input' | 'output';

type Schema = z.core.$ZodType;

/** The schemas that a value passes through, outermost first: wrappers, clones, and the side of a pipe for the form. */
export function* layersOf(schema: Schema | undefined, form: Form): Generator<z.core.$ZodTypes> {
  for (let layer = schema; layer !== undefined; layer = innerOf(layer, form)) yield layer as z.core.$ZodTypes; // every schema was created with zod
}

const innerOf = (schema: Schema, form: Form): Schema | undefined => {
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'readonly':
    case 'default':
      return def.innerType;
    case 'pipe':
      if (form === 'input') return def.in._zod.def.type === 'transform' ? def.out : def.in;
      return def.out._zod.def.type === 'transform' ? def.in : def.out;
    default:
      return schema._zod.parent;
  }
};

/** The name of a schema: the id in `meta({ id })`. */
export const idOf = (schema: Schema | undefined, form: Form): string | undefined => {
  for (const layer of layersOf(schema, form)) {
    const { id } = z.globalRegistry.get(layer) ?? {};
    if (typeof id === 'string') return id;
  }
  return undefined;
};

/** The description of a schema in `meta({ description })`. */
export const descriptionOf = (schema: Schema | undefined, form: Form): string => {
  for (const layer of layersOf(schema, form)) {
    const { description } = z.globalRegistry.get(layer) ?? {};
    if (description !== undefined) return description;
  }
  return '';
};

/** The schema inside all wrappers. */
const coreOf = (schema: Schema | undefined, form: Form): z.core.$ZodTypes | undefined => {
  for (const layer of layersOf(schema, form))
    if (!['optional', 'nullable', 'readonly', 'default', 'pipe'].includes(layer._zod.def.type)) return layer;
  return undefined;
};

/** The schema of a property; undefined if the schema does not declare it. */
export const propertyOf = (schema: Schema | undefined, form: Form, name: string): Schema | undefined => {
  const def = coreOf(schema, form)?._zod.def;
  if (def?.type === 'object') return def.shape[name];
  if (def?.type === 'intersection') return propertyOf(def.right, form, name) ?? propertyOf(def.left, form, name);
  return undefined;
};

/** The schema of the elements of an array, or of the values of a record. */
export const elementOf = (schema: Schema | undefined, form: Form): Schema | undefined => {
  const def = coreOf(schema, form)?._zod.def;
  if (def?.type === 'array') return def.element;
  return def?.type === 'record' ? def.valueType : undefined;
};

/** The schemas of a union's members. */
export const optionsOf = (schema: Schema | undefined, form: Form): readonly Schema[] => {
  const def = coreOf(schema, form)?._zod.def;
  return def?.type === 'union' ? def.options : [];
};

/** The values that a schema lists, in order. */
export const valuesOf = (schema: Schema | undefined, form: Form): readonly unknown[] => {
  const def = coreOf(schema, form)?._zod.def;
  if (def?.type === 'enum') return Object.values(def.entries);
  return def?.type === 'literal' ? def.values : [];
};

/** The names of an object's properties in the order of its schema. */
export const namesIn = (schema: Schema | undefined, form: Form): readonly string[] => {
  const def = coreOf(schema, form)?._zod.def;
  if (def?.type === 'intersection') return [...namesIn(def.left, form), ...namesIn(def.right, form)];
  return def?.type === 'object' ? Object.keys(def.shape) : [];
};
