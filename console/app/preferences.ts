/** The preferences of a person for lists: kept in this browser, apart for each person, and bounded. */
import { isObject } from './json-schema.ts';
import { observable } from './observable.ts';
import { session } from './session.ts';
import { storageKey } from './settings.ts';

export interface SavedFilter {
  readonly name: string;
  readonly filter: string;
  /** Values of facets, as in the address. */
  readonly is: string;
}

export interface ListPreferences {
  /** Undefined for the usual columns. */
  readonly columns?: readonly string[];
  readonly isCompact?: boolean;
  readonly filters?: readonly SavedFilter[];
}

export const MAX_SAVED = 10;
export const MAX_NAME = 60;
/** Longer filters are not saved: all of them together must fit into the storage of the browser. */
export const MAX_FILTER = 1000;
const MAX_COLUMNS = 20;

const keyOf = (group: string): string => storageKey(`list ${session.get()?.identity.id} ${group}`);

/** Counts the changes, so that lists are shown again. */
export const preferencesVersion = observable(0);

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);

const isSaved = (value: unknown): value is SavedFilter =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['filter'] === 'string' && typeof value['is'] === 'string';

/** The preferences for the list of a kind. What another release or another page has stored there is ignored. */
export const listPreferences = (group: string): ListPreferences => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(group)) ?? '{}');
    if (!isObject(stored)) return {};
    const columns = textsIn(stored['columns']).slice(0, MAX_COLUMNS);
    const filters = (Array.isArray(stored['filters']) ? stored['filters'] : []).filter(isSaved).slice(0, MAX_SAVED);
    return { ...(columns.length > 0 ? { columns } : {}), isCompact: stored['isCompact'] === true, filters };
  } catch {
    return {};
  }
};

export const setListPreferences = (group: string, changes: ListPreferences): void => {
  try {
    localStorage.setItem(keyOf(group), JSON.stringify({ ...listPreferences(group), ...changes }));
  } catch {
    // The storage is full or turned off: the list keeps its usual view.
  }
  preferencesVersion.set(preferencesVersion.get() + 1);
};
