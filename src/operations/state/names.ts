import { type Field, idOfSelector, selectorOfId } from '../../contract/api/kit/index.ts';
import { compareText } from '../../query/order.ts';
import { isDocument, type Values } from './values.ts';

/** Returns the text that replaces a reference to an entity of a kind: a name for an id, or an id for a name. Undefined omits it. */
export type Rename = (target: string, text: string) => string | undefined;

/**
 * Renames the references in the value of a field. A value of another type is returned unchanged, and is refused later.
 */
export const renameReferences = (
  { reference, idOf = reference?.target, set, keys, idsWithin = {} }: Field,
  value: unknown,
  rename: Rename,
): unknown => {
  if (idOf !== undefined) return renameText(idOf, value, rename);
  if (set?.of === 'references') return renameSet(value, (text) => rename(set.target, text));
  if (set?.of === 'selectors') return renameSet(value, (text) => renameSelector(set.target, text, rename));
  if (keys !== undefined && isDocument(value)) return renameKeys(keys, value, rename);
  return Object.entries(idsWithin).reduce((document, [path, target]) => renameAt(document, path.split('.'), target, rename), value);
};

/** Renames the ids at a path of a document. */
const renameAt = (value: unknown, [step = '', ...rest]: readonly string[], target: string, rename: Rename): unknown => {
  const key = step.replace('[]', '');
  if (!isDocument(value) || !Object.hasOwn(value, key)) return value;
  const { [key]: inner, ...others } = value;
  const other =
    rest.length > 0
      ? renameAt(inner, rest, target, rename)
      : step === key
        ? renameText(target, inner, rename)
        : renameSet(inner, (text) => rename(target, text));
  return other === undefined ? others : { ...others, [key]: other };
};

const renameText = (target: string, value: unknown, rename: Rename): unknown =>
  typeof value === 'string' && value !== '' ? rename(target, value) : value;

/** Renames the texts of a set, and sorts them. */
const renameSet = (value: unknown, rename: (text: string) => string | undefined): unknown => {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) return value;
  return value.flatMap((each) => rename(each) ?? []).sort(compareText);
};

const renameSelector = (target: string, text: string, rename: Rename): string | undefined => {
  const referred = idOfSelector(text);
  if (referred === undefined) return text;
  const other = rename(target, referred);
  return other === undefined ? undefined : selectorOfId(other);
};

const renameKeys = (target: string, value: Values, rename: Rename): Values =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const other = rename(target, key.replace(ESCAPED, '$1'));
      return other === undefined ? [] : [[other.replace(PROTOTYPE_NAME, '\\$&'), each]];
    }),
  );

/**
 * Bodies must not have a key `__proto__`, so names of this form have an additional backslash as keys of documents. Ids never have this
 * form.
 */
const PROTOTYPE_NAME = /^\\*__proto__$/;
const ESCAPED = /^\\(\\*__proto__)$/;
