import { hrefOf } from './router.ts';
import { session } from './session.ts';
import { settings } from './settings.ts';

/** The address of the page of an entity; undefined if the session may not read it, or the host leaves such pages out: an `a` without one is text. */
export const entityHref = (group: string, id: string): string | undefined =>
  settings.features.includes('entities') && session.get()?.may(group, 'get') ? hrefOf(['entities', group, id]) : undefined;

/** The address of the list of a kind with a filter; undefined as for `entityHref`. */
export const filteredHref = (group: string, filter: string): string | undefined =>
  settings.features.includes('entities') && session.get()?.may(group, 'list')
    ? hrefOf(['entities', group], filter ? { filter } : {})
    : undefined;
