import type { EntityReference } from '../../../src/client/index.ts';
import { hrefOf } from '../router.ts';

/** A link to an entity of a group, by its name. */
export const EntityLink = ({ group, reference: { id, name } }: { readonly group: string; readonly reference: EntityReference }) => (
  <a href={hrefOf(['entities', group, id])}>{name ?? id}</a>
);
