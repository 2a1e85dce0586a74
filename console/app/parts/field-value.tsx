import type { Shape } from '../../descriptions.ts';
import { isCredential } from '../credentials.ts';
import { type Entity, groupOfCollection, titleOf } from '../kinds.ts';
import { useNames } from '../references.ts';
import { referenceOf } from '../schema.ts';
import { type Role, selectionFilter } from '../selection.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { Credential } from './credential.tsx';
import { EntityLink, FilteredLink } from './entity-link.tsx';
import { fileNameOf } from './token.tsx';
import { Value } from './value.tsx';

interface Props {
  readonly session: Session;
  readonly group: string;
  readonly entity: Entity;
  readonly name: string;
  /** The value to show, which is not empty. */
  readonly value: unknown;
  readonly shape: Shape | 'plain';
}

/** The value of a field on the page of an entity. What it refers to is shown by name, with a link. */
export const FieldValue = ({ session, group, entity, name, value, shape }: Props) => {
  if (isCredential(name) && typeof value === 'string' && value !== entity.id)
    return <Credential text={value} file={`${fileNameOf(titleOf(entity))}.jwt`} />;
  const refersTo = referenceOf(session, group, name);
  const target = groupOfCollection(refersTo?.collection ?? '');
  if (refersTo?.by === 'selector' && Array.isArray(value) && value.length > 0)
    return <Roles group={target} roles={(entity[`${name}Display`] ?? value.map((role) => ({ role, name: role }))) as readonly Role[]} />; // the API pairs them
  if (refersTo?.by === 'attribute' && refersTo.in === undefined && Array.isArray(value) && value.length > 0)
    return <Roles group={target} roles={value.map((attribute) => ({ role: `#${attribute}`, name: String(attribute) }))} />;
  if (refersTo?.by === 'id' && refersTo.in === undefined && Array.isArray(value) && value.length > 0)
    return <References group={target} ids={value.map(String)} />;
  return <Value value={value} shape={shape} isFull />;
};

/** Entries that are shown; the form shows all. */
const MAX_ENTRIES = 100;

const More = ({ count }: { readonly count: number }) =>
  count > MAX_ENTRIES ? <span class="muted">{texts.more(count - MAX_ENTRIES)}</span> : null;

/** Selectors, or role attributes: each links to what it selects. */
const Roles = ({ group, roles }: { readonly group: string; readonly roles: readonly Role[] }) => (
  <span class="chips">
    {roles.slice(0, MAX_ENTRIES).map(({ role = '', name }) => (
      <span class="chip" key={role}>
        {role.startsWith('@') ? (
          <EntityLink group={group} id={role.slice(1)}>
            {name}
          </EntityLink>
        ) : (
          <FilteredLink group={group} filter={selectionFilter('AnyOf', [{ role }])}>
            {name}
          </FilteredLink>
        )}
      </span>
    ))}
    <More count={roles.length} />
  </span>
);

const References = ({ group, ids }: { readonly group: string; readonly ids: readonly string[] }) => {
  const shown = ids.slice(0, MAX_ENTRIES);
  const nameOf = useNames(group, shown);
  return (
    <span class="chips">
      {shown.map((id) => (
        <span class="chip" key={id}>
          <EntityLink group={group} id={id}>
            {nameOf(id) ?? id}
          </EntityLink>
        </span>
      ))}
      <More count={ids.length} />
    </span>
  );
};
