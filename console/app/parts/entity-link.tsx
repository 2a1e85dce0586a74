import type { EntityReference } from '../../../src/client/index.ts';
import { hrefOf } from '../router.ts';
import { nameOf } from '../words.ts';

/** A link to an entity of a group, by its name. */
export const EntityLink = ({ group, reference }: { readonly group: string; readonly reference: EntityReference }) => (
  <a href={hrefOf(['entities', group, reference.id])}>{nameOf(reference)}</a>
);
