/** What a role array of a policy selects, in words and as a filter. */
import { filter as filterText } from '../../src/client/index.ts';
import { texts } from './texts.ts';

const t = texts.access;

/** An entry of a role array, with the name of what it selects. */
export interface Role {
  readonly role?: string | undefined;
  readonly name?: string | undefined;
}

/** The entries of a role array, with the names of entities. */
export const namesIn = (display: readonly Role[] | undefined): readonly string[] => (display ?? []).map(({ name }) => String(name));

export const selectionText = (semantic: string, roles: readonly Role[]): string =>
  selectsAll(roles) ? t.everything : namesIn(roles).join(semantic === 'AllOf' ? t.and : t.or);

const selectsAll = (roles: readonly Role[]): boolean => roles.some(({ role }) => role === '#all');

/** The filter of the selected entities: ids select under either semantic, attributes all together or each of them. */
export const selectionFilter = (semantic: string, roles: readonly Role[]): string => {
  if (selectsAll(roles)) return '';
  const selectors = roles.flatMap(({ role }) => role ?? []);
  const attributes = selectors.filter((each) => each.startsWith('#')).map((each) => filterText`anyOf(roleAttributes) = ${each.slice(1)}`);
  const ids = selectors.filter((each) => each.startsWith('@')).map((each) => filterText`id = ${each.slice(1)}`);
  return [...(attributes.length > 0 ? [`(${attributes.join(semantic === 'AllOf' ? ' and ' : ' or ')})`] : []), ...ids].join(' or ');
};
