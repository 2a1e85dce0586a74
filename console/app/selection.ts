/** The selection of a policy's role array, in words and as a filter. */
import { filter as filterText } from '../../client/index.ts';
import { texts } from './texts.ts';

const t = texts.access;

/** A selector of a role array, with its display name. */
export interface Role {
  readonly role?: string | undefined;
  readonly name?: string | undefined;
}

/** The display names of the selectors of a role array. */
export const namesIn = (display: readonly Role[] | undefined): readonly string[] => (display ?? []).map(({ name }) => String(name));

export const selectionText = (semantic: string, roles: readonly Role[]): string =>
  selectsAll(roles) ? t.everything : namesIn(roles).join(semantic === 'AllOf' ? t.and : t.or);

const selectsAll = (roles: readonly Role[]): boolean => roles.some(({ role }) => role === '#all');

/**
 * The filter that matches the selected entities; empty if all are selected. With `AllOf`, an entity needs all attributes, otherwise one of
 * them; ids select with either semantic.
 */
export const selectionFilter = (semantic: string, roles: readonly Role[]): string => {
  if (selectsAll(roles)) return '';
  const selectors = roles.flatMap(({ role }) => role ?? []);
  const attributes = selectors
    .filter((selector) => selector.startsWith('#'))
    .map((selector) => filterText`anyOf(roleAttributes) = ${selector.slice(1)}`);
  const ids = selectors.filter((selector) => selector.startsWith('@')).map((selector) => filterText`id = ${selector.slice(1)}`);
  return [...(attributes.length > 0 ? [`(${attributes.join(semantic === 'AllOf' ? ' and ' : ' or ')})`] : []), ...ids].join(' or ');
};
