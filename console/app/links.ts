import { kindOf } from './kinds.ts';
import { hrefOf } from './router.ts';
import { session } from './session.ts';
import { settings } from './settings.ts';

/** The address of the page of an entity; undefined if the session may not read it, or the host has disabled such pages. */
export const entityHref = (group: string, id: string): string | undefined =>
  settings.features.includes('entities') && kindOf(group) && session.get()?.may(group, 'get') ? hrefOf(['entities', group, id]) : undefined;

/** The address of the list of a kind with a filter; undefined as for `entityHref`. */
export const filteredHref = (group: string, filter: string): string | undefined =>
  settings.features.includes('entities') && session.get()?.may(group, 'list')
    ? hrefOf(['entities', group], filter ? { filter } : {})
    : undefined;
