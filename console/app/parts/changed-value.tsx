import { isObject } from '../json-schema.ts';
import { groupOfCollection } from '../kinds.ts';
import { useNames } from '../references.ts';
import { referenceOf } from '../schema.ts';
import { session } from '../session.ts';
import { textOf } from '../words.ts';

interface Props {
  /** The group of the changed entity; undefined for a kind that the console does not list. */
  readonly group: string | undefined;
  readonly field: string;
  readonly value: unknown;
}

/** A value before or after a change. Entities that it refers to, by id or in a selector, are named, if the session may read them. */
export const ChangedValue = ({ group = '', field, value }: Props) => {
  const current = session.get();
  const refersTo = current && referenceOf(current, group, field);
  const isReference = refersTo !== undefined && refersTo.by !== 'attribute' && refersTo.in === undefined;
  const entries = isReference ? [value].flat().filter((entry) => typeof entry === 'string') : [];
  const nameOf = useNames(groupOfCollection(refersTo?.collection ?? ''), entries.flatMap(idIn));
  const named = (entry: unknown): unknown => {
    const [id] = typeof entry === 'string' ? idIn(entry) : [];
    const name = id === undefined ? undefined : nameOf(id);
    return name === undefined ? entry : `${String(entry).startsWith('@') ? '@' : ''}${name}`;
  };
  if (isReference) return <>{textOf(Array.isArray(value) ? value.map(named) : named(value))}</>;
  return <>{isObject(value) ? JSON.stringify(value, null, 1) : textOf(value)}</>;
};

/** The id in an entry: a selector with `@`, or the id itself. An attribute has none. */
const idIn = (entry: string): readonly string[] => (entry.startsWith('#') ? [] : [entry.replace(/^@/, '')]);
