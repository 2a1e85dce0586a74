/** The fields of a kind with few values, by which a list is narrowed without the filter language. */
import { filter as filterText } from '../../client/index.ts';
import { FILTER_NAMES } from './entity-list.ts';
import { formsOf } from './schema.ts';
import type { Session } from './session.ts';
import { flagsOf } from './shapes.ts';

export interface Facet {
  readonly field: string;
  /** The name by which filters know the field. */
  readonly filterName: string;
  readonly values: readonly string[];
}

/** The facets of a kind: choices of its form, and flags of its answers, which the list can be filtered by. */
export const facetsOf = (session: Session, group: string, filterable: readonly string[]): readonly Facet[] => {
  const choices = formsOf(session, group, 'create')
    .flatMap(({ fields }) => fields)
    .flatMap(({ name, entry, choices: values }) => (entry === 'choice' ? [{ field: name, values }] : []));
  const flags = flagsOf(group).map((field) => ({ field, values: ['true', 'false'] }));
  return [...choices, ...flags].flatMap(({ field, values }): readonly Facet[] => {
    const filterName = [field, FILTER_NAMES[field] ?? ''].find((name) => filterable.includes(name));
    return filterName === undefined ? [] : [{ field, filterName, values }];
  });
};

/** The chosen values in an address: `type:User,isAdmin:true`. */
export const chosenIn = (text = ''): ReadonlyMap<string, string> =>
  new Map(text.split(',').flatMap((each) => (/^[\w.]+:[\w-]+$/.test(each) ? [each.split(':') as [string, string]] : []))); // one colon

export const addressOf = (chosen: ReadonlyMap<string, string>): string => [...chosen].map((each) => each.join(':')).join(',');

/** The conditions of chosen values. */
export const conditionsOf = (chosen: ReadonlyMap<string, string>): readonly string[] =>
  [...chosen].map(([name, value]) => `${name} ${value === 'true' || value === 'false' ? `= ${value}` : filterText`= ${value}`}`);
