import type { Field, Kind } from '../../../api/kit/index.ts';
import { idOfSelector, selectorOfId } from '../../../api/kit/index.ts';
import { compareText } from '../../../query/order.ts';
import { isDocument, type Values } from './values.ts';

/** Gives the text that stands in place of one that refers to an entity of a kind: a name for an id, or an id for a name. Undefined drops it. */
export type Rename = (target: string, text: string) => string | undefined;

/** The value of a field with the references in it renamed. A value of another form than the field's is returned as it is, to be refused later. */
export const renamed = ({ kind }: Kind, name: string, field: Field, value: unknown, rename: Rename): unknown => {
  const { reference, idOf = reference?.target, set, keys } = field;
  if (idOf !== undefined) return one(idOf, value, rename);
  if (set?.of === 'references') return many(value, (text) => rename(set.target, text));
  if (set?.of === 'selectors') return many(value, (text) => selector(set.target, text, rename));
  if (keys !== undefined && isDocument(value)) return byKey(keys, value, rename);
  return isDocument(value) ? (NESTED[kind]?.[name]?.(value, rename) ?? value) : value;
};

const one = (target: string, value: unknown, rename: Rename): unknown =>
  typeof value === 'string' && value !== '' ? rename(target, value) : value;

/** A set of texts, sorted. */
const many = (value: unknown, rename: (text: string) => string | undefined): unknown => {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) return value;
  return value.flatMap((each) => rename(each) ?? []).sort(compareText);
};

const selector = (target: string, text: string, rename: Rename): string | undefined => {
  const referred = idOfSelector(text);
  if (referred === undefined) return text;
  const other = rename(target, referred);
  return other === undefined ? undefined : selectorOfId(other);
};

const byKey = (target: string, value: Values, rename: Rename): Values =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const other = rename(target, key.replace(ESCAPED, '$1'));
      return other === undefined ? [] : [[other.replace(PROTOTYPE_NAME, '\\$&'), each]];
    }),
  );

/** No body may have a key `__proto__`: as keys of documents, names of this form have one backslash more. Ids never have it. */
const PROTOTYPE_NAME = /^\\*__proto__$/;
const ESCAPED = /^\\(\\*__proto__)$/;

/** References within documents, by kind and field. */
const NESTED: Readonly<Record<string, Readonly<Record<string, (value: Values, rename: Rename) => Values>>>> = {
  authPolicy: {
    primary: ({ extJwt, ...rest }, rename) => ({
      ...rest,
      ...(isDocument(extJwt)
        ? { extJwt: { ...extJwt, allowedSigners: many(extJwt.allowedSigners, (text) => rename('externalJwtSigner', text)) } }
        : extJwt === undefined
          ? {}
          : { extJwt }),
    }),
    secondary: ({ requireExtJwtSigner, ...rest }, rename) => {
      const signer = one('externalJwtSigner', requireExtJwtSigner, rename);
      return signer === undefined ? rest : { ...rest, requireExtJwtSigner: signer };
    },
  },
};
