import * as z from 'zod';
import { discriminator, type Field, type Fields } from './field.ts';
import { type Kind, type Resource, resource } from './resource.ts';
import type { Names, ResourceDeclaration } from './resource-declaration.ts';

/** A shape that entities of a kind may have: its fields, in addition to those that all entities of the kind share. */
export interface Variant<F extends Fields = Fields> {
  /** Part of the schema names: `OperatingSystem` for `PostureCheckOperatingSystemCreate`. */
  readonly name: string;
  readonly fields: F;
}

type Variants = Readonly<Record<string, Variant>>;

export const variant = <const F extends Fields>(name: string, fields: F): Variant<F> => ({ name, fields });

/** The union of the tables of the variants. */
type Tables<C extends Fields, B extends string, V extends Variants> = {
  [T in keyof V & string]: C & { readonly [P in B]: Field<'discriminator', 'stored', T, T> } & V[T]['fields'];
}[keyof V & string];

/**
 * A kind whose entities have different fields depending on the field `by`. Bodies and details have a separate schema for each variant; the
 * store and filters have one table with the fields of all variants.
 * @throws TypeError if two variants have a field of the same name, because the table has only one column for it
 */
export const variantResource = <
  const K extends string,
  const C extends Fields,
  const N extends Names,
  const B extends string,
  const V extends Variants,
>(
  declaration: ResourceDeclaration<K, C, N>,
  by: B,
  variants: V,
): Resource<K, Tables<C, B, V>, N> => {
  const [singular, plural] = declaration.names;
  const values = Object.keys(variants);
  const resources = Object.entries(variants).map(([value, { name, fields }]) =>
    resource({
      ...declaration,
      names: [`${singular}${name}`, plural],
      fields: { ...declaration.fields, [by]: discriminator(z.literal(value)), ...fields } as Fields, // a table like any other
    }),
  );
  const names = Object.values(variants).flatMap(({ fields }) => Object.keys(fields));
  const [duplicate] = names.filter((name, i) => names.indexOf(name) !== i);
  if (duplicate !== undefined)
    throw new TypeError(`two variants of ${declaration.kind} have a field ${duplicate}, but share one table: rename one of the fields`);
  const oneOf = (body: keyof Kind['schemas'], id: string) =>
    z.discriminatedUnion(by, resources.map(({ schemas }) => schemas[body]) as never).meta({ id: `${singular}${id}` }); // all are objects with a literal `by`
  const all: Kind = {
    ...declaration,
    fields: {
      ...declaration.fields,
      [by]: discriminator(z.enum(values), { filter: true }),
      ...Object.assign({}, ...Object.values(variants).map(({ fields }) => fields)),
    },
    variants: { by, tables: Object.fromEntries(resources.map(({ fields }, i) => [values[i], fields])) },
    schemas: {
      create: oneOf('create', 'Create'),
      replace: oneOf('replace', 'Update'),
      patch: oneOf('patch', 'Patch'),
      detail: oneOf('detail', 'Detail'),
    },
  };
  return all as Resource<K, Tables<C, B, V>, N>; // it has the fields and schemas of all variants
};

/** The field table of an entity: that of its variant if the kind has variants. */
export const fieldsOf = ({ fields, variants }: Pick<Kind, 'fields' | 'variants'>, entity: Readonly<Record<string, unknown>>): Fields => {
  const name = entity[variants?.by ?? ''];
  return variants && typeof name === 'string' && Object.hasOwn(variants.tables, name) ? (variants.tables[name] ?? fields) : fields;
};
