import type { ComponentChildren } from 'preact';
import type { EntityReference } from '../../../client/index.ts';
import { groupOfCollection } from '../kinds.ts';
import { entityHref, filteredHref } from '../links.ts';
import { nameOf } from '../words.ts';

interface Props {
  readonly group: string;
  readonly id: string;
  readonly children: ComponentChildren;
}

/** A link to the page of an entity; plain text if the session may not read it. */
export const EntityLink = ({ group, id, children }: Props) => {
  const href = entityHref(group, id);
  return href === undefined ? children : <a href={href}>{children}</a>;
};

interface ReferenceProps {
  readonly reference: EntityReference;
  /** The group whose page the link opens. Default: that of the collection of the reference. */
  readonly group?: string;
}

/** A link to a referenced entity, by its name. */
export const ReferenceLink = ({ reference, group = groupOfCollection(reference.entity) }: ReferenceProps) => (
  <EntityLink group={group} id={reference.id}>
    {nameOf(reference)}
  </EntityLink>
);

interface FilteredProps {
  readonly group: string;
  readonly filter: string;
  readonly children: ComponentChildren;
}

/** A link to the entities of a group that a filter selects; text if the session may not list them. */
export const FilteredLink = ({ group, filter, children }: FilteredProps) => {
  const href = filteredHref(group, filter);
  return href === undefined ? children : <a href={href}>{children}</a>;
};
