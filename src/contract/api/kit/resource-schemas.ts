import * as z from 'zod';
import { entityBase, entityReference, shownTags, tags } from './entity.ts';
import { type Field, type Fields, showsEmptyList, type WriteMode } from './field.ts';
import { preprocess } from './preprocess.ts';
import type { ResourceDeclaration } from './resource-declaration.ts';
import { displayField, roleDisplay } from './role-display.ts';

/** The schemas of a kind, by the bodies and answers that they describe. */
export type ResourceSchemas = Readonly<Record<'create' | 'replace' | 'patch' | 'detail', z.ZodType>>;

export const schemasOf = ({
  fields,
  names: [singular],
}: Pick<ResourceDeclaration<string, Fields>, 'fields' | 'names'>): ResourceSchemas => ({
  create: bodySchema(fields, CREATED, `${singular}Create`),
  replace: bodySchema(fields, REPLACED, `${singular}Update`),
  patch: bodySchema(fields, PATCHED, `${singular}Patch`),
  detail: detailSchema(fields, `${singular}Detail`),
});

/** The fields of a body, by the write modes that they have. */
interface Written {
  readonly required: readonly WriteMode[];
  readonly optional: readonly WriteMode[];
  /** True if all fields but the discriminator may be left out. */
  readonly isPartial?: boolean;
}

const CREATED: Written = {
  required: ['required', 'createOnly', 'requiredOnCreate', 'discriminator'],
  optional: ['createOnlyOptional', 'optional', 'requiredOnReplace'],
};
const REPLACED: Written = { required: ['required', 'requiredOnReplace', 'discriminator'], optional: ['optional', 'requiredOnCreate'] };
const PATCHED: Written = { required: ['required', 'discriminator'], optional: ['optional', 'requiredOnReplace'], isPartial: true };

const bodySchema = (fields: Fields, { required, optional, isPartial = false }: Written, id: string) => {
  const members = Object.entries(fields).flatMap(([name, { write, patch, schema, set, input = schema }]) => {
    if (!required.includes(write) && !optional.includes(write)) return [];
    const accepted = fields[`${name}Id`]?.reference ? idOrReference(input) : input;
    if (isPartial && write !== 'discriminator') return [[name, patch ?? accepted.optional()] as const];
    if (!required.includes(write)) return [[name, accepted.optional()] as const];
    return [[name, set ? accepted.nullable() : accepted] as const];
  });
  return z.object({ ...Object.fromEntries(members), tags: tags.optional() }).meta({ id });
};

/** For a field that is an id in bodies and a reference in answers: accepts both, so that an answer can be sent back. */
const idOrReference = (id: z.ZodType): z.ZodType =>
  preprocess((given) => {
    const reference = shownReference.safeParse(given);
    return reference.success ? reference.data.id : given;
  }, id);

const shownReference = z.object({ entity: z.string(), id: z.string() });

const detailSchema = (fields: Fields, id: string) => {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, field] of Object.entries(fields)) Object.assign(shape, shownMembers(name, field));
  return z.object({ ...entityBase, tags: shownTags, ...shape }).meta({ id });
};

/** The members of answers that show a field: its value and, depending on its type, a reference or the role array for display. */
const shownMembers = (name: string, field: Field): Readonly<Record<string, z.ZodType>> => {
  const { keep, disclosable, reference, set } = field;
  const schema = outputOf(field.schema);
  if (disclosable) return { [name]: schema.nullish() };
  if (keep !== 'stored' && keep !== 'computed') return {};
  const value = shownValueSchema(field, schema);
  if (set?.of === 'selectors') return { [name]: value, [displayField(name)]: z.array(roleDisplay) };
  if (!reference || reference.alone || !name.endsWith('Id')) return { [name]: value };
  const shown = reference.orNull ? entityReference.nullable() : entityReference;
  return { [name]: value, [name.slice(0, -'Id'.length)]: shown.optional() };
};

const shownValueSchema = (field: Field, schema: z.ZodType): z.ZodType => {
  if (field.absent) return schema.optional();
  return mayBeNull(field) ? schema.nullable() : schema;
};

/** True if answers may show null for the field: for an empty set, or for a stored field that is unset. */
const mayBeNull = ({ keep, write, set, default: unset }: Field): boolean => {
  if (set !== undefined) return !showsEmptyList(set);
  return keep === 'stored' && unset === null && ['optional', 'createOnlyOptional', 'never'].includes(write);
};

/** The schema of a field in answers: the output schema of a pipe, or its input schema if a transform has no output schema. */
const outputOf = (schema: z.ZodType): z.ZodType => {
  if (!(schema instanceof z.ZodPipe)) return schema;
  return schema.out instanceof z.ZodTransform ? outputOf(schema.in as z.ZodType) : (schema.out as z.ZodType); // the two parts are zod schemas
};
