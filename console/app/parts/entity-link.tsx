import type { ComponentChildren } from 'preact';
import type { EntityReference } from '../../../src/client/index.ts';
import { entityHref } from '../links.ts';
import { nameOf } from '../words.ts';

interface Props {
  readonly group: string;
  readonly id: string;
  readonly children: ComponentChildren;
}

/** Leads to the page of an entity, if the session may read it; otherwise it is text. */
export const ToEntity = ({ group, id, children }: Props) => {
  const href = entityHref(group, id);
  return href === undefined ? children : <a href={href}>{children}</a>;
};

/** A link to an entity of a group, by its name. */
export const EntityLink = ({ group, reference }: { readonly group: string; readonly reference: EntityReference }) => (
  <ToEntity group={group} id={reference.id}>
    {nameOf(reference)}
  </ToEntity>
);
