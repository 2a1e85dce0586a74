import type * as z from 'zod';
import { nounWithArticle } from '../../src/contract/api/kit/nouns.ts';
import type { Contract } from './contract.ts';
import { type KindSchema, schemasOfKinds } from './kinds.ts';
import { descriptionOf, type Form, layersOf } from './schemas.ts';
import type { Documentation } from './shapes.ts';

type Schema = z.core.$ZodType;

/**
 * Documents types and fields with the comment at the declaration, or else its `meta({ description })`, and with additions from the table of
 * a kind.
 */
export const createDocumentation = (contract: Contract): Documentation => {
  const schemas = schemasOfKinds();

  const kindSchemaOf = (schema: Schema | undefined, form: Form): KindSchema | undefined => {
    for (const layer of layersOf(schema, form)) {
      const found = schemas.get(layer);
      if (found) return found;
      const { def } = layer._zod;
      if (def.type === 'intersection') return kindSchemaOf(def.left, form);
    }
    return undefined;
  };

  return {
    shape: (schema, id, form) => {
      const found = schemas.get(schema as Schema); // only of this schema itself, not of one that it extends
      return found ? kindParagraphs(found, contract) : [contract.schemaComment(id) || descriptionOf(schema, form)];
    },
    property: (parent, property, schema, form) => {
      const found = kindSchemaOf(parent, form);
      const derived = found && derivedField(found, property.name);
      const comment = derived || (found && contract.fieldComment(found.kind.kind, property.name)) || contract.commentOf(property);
      const text = comment || descriptionOf(schema, form);
      return [text, found ? defaultOf(found, property.name) : ''];
    },
  };
};

const kindParagraphs = ({ kind, body, variant }: KindSchema, contract: Contract): readonly string[] => {
  const about = variant === undefined ? kind.about : contract.variantComment(variant);
  const purpose = PURPOSES[body](nounWithArticle(kind));
  return body === 'detail' ? [about] : [variant === undefined ? purpose : `${purpose} ${about}`];
};

const PURPOSES: Readonly<Record<KindSchema['body'], (noun: string) => string>> = {
  create: (noun) => `Input to create ${noun}.`,
  replace: (noun) => `Input to replace ${noun}. Omitted fields are reset to their defaults.`,
  patch: (noun) => `Input to change ${noun}. Fields that are omitted or null remain unchanged.`,
  detail: () => '',
};

/** Documents fields that no table declares: the discriminator of variants, references, and role arrays with display names. */
const derivedField = ({ kind: { fields, variants }, body }: KindSchema, name: string): string => {
  if (name === variants?.by) return 'Determines which other fields are present.';
  if (body !== 'detail') return '';
  // Some bodies have the id under the name that the reference has in responses.
  if (fields[`${name}Id`]?.reference && (fields[name]?.keep ?? 'input') === 'input')
    return `Reference to the entity with the id in \`${name}Id\`.`;
  const roles = name.replace(/Display$/, '');
  return roles !== name && fields[roles] ? `The entries of \`${roles}\`, with display names.` : '';
};

const defaultOf = ({ kind, body }: KindSchema, name: string): string => {
  const field = kind.fields[name];
  if (field?.keep !== 'stored' || field.default === null || (body !== 'create' && body !== 'replace')) return '';
  return field.write === 'never' ? '' : `@defaultValue \`${JSON.stringify(field.default)}\``;
};
