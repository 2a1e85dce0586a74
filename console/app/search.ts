/** The search of a list: a condition of the filter language, or a text to search for. */
import { filter as filterText } from '../../client/index.ts';
import { remoteOperations } from '../../client/operations.ts';
import { parse } from '../../src/query/parse.ts';
import type { Condition } from '../../src/query/tree.ts';
import { entityApi, type KindView, kindOf } from './kinds.ts';
import { session } from './session.ts';
import { texts } from './texts.ts';

const t = texts.search;

/** The meaning of an input. `reason`: why a text that looks like a condition is none. */
export type Search =
  | { readonly is: 'all' }
  | { readonly is: 'condition'; readonly filter: string }
  | { readonly is: 'text'; readonly text: string; readonly reason?: string };

/** Reads an input. Only a condition that the language accepts is one; anything else is a text, as are names alone, such as `disabled`. */
export const searchOf = (input: string): Search => {
  const text = input.trim();
  if (text === '') return { is: 'all' };
  try {
    const { where, sort, skip, limit } = parse(text);
    if (sort || skip !== undefined || limit !== undefined) return { is: 'text', text, ...(where ? { reason: t.clauses } : {}) };
    return where && compares(where) ? { is: 'condition', filter: text } : { is: 'text', text };
  } catch (error) {
    return { is: 'text', text, ...(LIKE_A_CONDITION.test(text) ? { reason: String(Object(error).message) } : {}) };
  }
};

/** True if a condition has an operator or a function: words alone are more often a part of a name. */
const compares = (condition: Condition): boolean => {
  switch (condition.is) {
    case 'comparison':
    case 'empty':
      return true;
    case 'not':
      return compares(condition.term);
    case 'and':
    case 'or':
      return condition.terms.some(compares);
    default:
      return false;
  }
};

const LIKE_A_CONDITION = /^\s*[A-Za-z][\w.]*\s*(=|!=|<|>|(not\s+)?(in\s*\[|between\s|i?contains\s))|\b(anyOf|allOf|count|isEmpty)\s*\(/i;

/** Longer texts match no name, and would not fit into an address. */
const MAX_TEXT = 500;
/** Number of entities by which others are found: their ids are part of an address, for which some proxies allow 8 KiB. */
const MAX_FOUND = 50;

/** A filter for entities that contain a text, and whether more entities may contain it than the filter finds. */
export interface TextFilter {
  readonly filter: string;
  readonly isPartial: boolean;
}

/** The filter for entities of a kind that contain a text in what identifies them. */
export const textFilterOf = async (kind: KindView, input: string, signal: AbortSignal): Promise<TextFilter> => {
  const text = searchable(input);
  const { searchedBy = {} } = kind;
  const related = await Promise.all(
    Object.entries(searchedBy).map(async ([field, group]) => ({ field, ...(await idsOf(group, text, signal)) })),
  );
  const byIds = related.flatMap(({ field, ids }) => (ids.length > 0 ? [`${field} ${filterText`in ${ids}`}`] : []));
  return {
    filter: [...ownConditions(kind, text), ...byIds].join(' or ') || 'false',
    isPartial: related.some(({ isPartial }) => isPartial),
  };
};

/** Conditions for the texts of an entity itself, without those of the entities that it refers to. */
const ownConditions = ({ searched = ['name'] }: KindView, text: string): readonly string[] =>
  searched.map((field) => `${field} ${filterText`icontains ${text}`}`);

/** The filter for entities of a kind that contain a text, have it as a role attribute, or have this id. */
export const directFilterOf = (kind: KindView, input: string): string => {
  const text = searchable(input);
  const byAttribute = remoteOperations['roleAttributes']?.[kind.group] ? [`anyOf(roleAttributes) ${filterText`icontains ${text}`}`] : [];
  return [...ownConditions(kind, text), ...byAttribute, filterText`id = ${text}`].join(' or ');
};

/** The ids of the entities of a group that contain a text. */
const idsOf = async (
  group: string,
  text: string,
  signal: AbortSignal,
): Promise<{ readonly ids: readonly string[]; readonly isPartial: boolean }> => {
  const kind = kindOf(group);
  if (!kind || !session.get()?.may(group, 'list')) return { ids: [], isPartial: false };
  const { filter, isPartial } = await textFilterOf(kind, text, signal);
  const { data, pagination } = await entityApi(group).list({ filter, limit: MAX_FOUND }, { signal });
  return { ids: data.map(({ id }) => id), isPartial: isPartial || pagination.totalCount > data.length };
};

/** A text that a filter can hold: without control characters and halves of characters. */
const searchable = (input: string): string =>
  input
    .slice(0, MAX_TEXT)
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .trim();
