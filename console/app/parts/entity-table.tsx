import { MAX_BULK } from '../bulk.ts';
import { isCredential } from '../credentials.ts';
import { type EntityList, FILTER_NAMES, type Sort } from '../entity-list.ts';
import { type Entity, identifiersOf, type KindView } from '../kinds.ts';
import { type ShapeOf, shapesOf } from '../shapes.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';
import type { Selection } from './bulk.tsx';
import { EntityLink } from './entity-link.tsx';
import { FieldState, saysState } from './state.tsx';
import { Value } from './value.tsx';

interface Props {
  readonly kind: KindView;
  readonly list: EntityList;
  readonly sortBy: (sort: string) => void;
  readonly isLoading: boolean;
  /** Default: the usual columns of the kind. */
  readonly columns?: readonly string[];
  readonly isCompact?: boolean;
  /** Missing where rows cannot be selected. */
  readonly selection?: Selection;
}

/** The page of a list, with what identifies each entity first. */
export const EntityTable = (props: Props) => {
  const { kind, list, sortBy, isLoading, isCompact = false, selection, columns = usualColumns(kind, list.page.data) } = props;
  const { page, sort, names } = list;
  const { group, named = {}, titledBy: [title = 'name'] = [] } = kind;
  const shapeOf = shapesOf(group);
  const sortField = (column: string): string | undefined => sortFieldOf(column, page.filterableFields ?? [], shapeOf);
  const isShown = [title, ...columns].some((column) => sortField(column) === sort.field);
  return (
    <>
      {!isShown && <p class="muted small">{texts.search.sortedBy(labelOf(sort.field), sort.direction)}</p>}
      <div class="scroll">
        <table aria-busy={isLoading} class={isCompact ? 'compact' : undefined}>
          <thead>
            <tr>
              {selection && <td class="pick" />}
              {[title, ...columns].map((column) => (
                <SortHeading
                  key={column}
                  label={headingOf(column, named)}
                  field={column in named ? undefined : sortField(column)}
                  sort={sort}
                  sortBy={sortBy}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {page.data.map((row) => (
              <tr key={row.id}>
                {selection && <Pick row={row} name={identifiersOf(row, kind).join(' · ')} selection={selection} isDisabled={isLoading} />}
                <th scope="row">
                  <EntityLink group={group} id={row.id}>
                    {('id' in named ? names.get(row.id) : undefined) ?? identifiersOf(row, kind)[0]}
                  </EntityLink>
                </th>
                {columns.map((column) => (
                  <td key={column} data-label={headingOf(column, named)}>
                    <Cell field={column} value={shownOf(row, column)} group={named[column]} names={names} shape={shapeOf(column)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
};

/** The heading of a column. A dot with `Enabled` would not answer `Disabled`. */
const headingOf = (column: string, named: Readonly<Record<string, string>>): string =>
  texts.states.headings[column] ?? labelOf(column in named ? column.replace(/Id$/, '') : column);

interface PickProps {
  readonly row: Entity;
  readonly name: string;
  readonly selection: Selection;
  readonly isDisabled: boolean;
}

/** The check box that selects a row. */
const Pick = ({ row, name, selection: { entities, set }, isDisabled }: PickProps) => {
  const isSelected = entities.has(row.id);
  const toggle = (): void => {
    const others = [...entities].filter(([id]) => id !== row.id);
    set(new Map(isSelected ? others : [...others, [row.id, row]]));
  };
  const isFull = !isSelected && entities.size >= MAX_BULK;
  return (
    <td class="pick">
      <input type="checkbox" aria-label={texts.bulk.select(name)} checked={isSelected} disabled={isDisabled || isFull} onChange={toggle} />
    </td>
  );
};

/** The value of a column, with the names of the entities that roles refer to by their ids. */
const shownOf = (row: Entity, column: string): unknown => {
  const named: unknown = row[`${column}Display`];
  return Array.isArray(named) ? named.map((role) => Object(role).name) : row[column];
};

interface CellProps {
  readonly field: string;
  readonly value: unknown;
  /** The group of the entity whose id the value is, if it is one. */
  readonly group: string | undefined;
  readonly names: ReadonlyMap<string, string>;
  readonly shape: ReturnType<ShapeOf>;
}

const Cell = ({ field, value, group, names, shape }: CellProps) => {
  if (saysState(field, value)) return <FieldState field={field} value={value} />;
  const name = group !== undefined && typeof value === 'string' ? names.get(value) : undefined;
  return name === undefined ? (
    <Value value={value} shape={shape} />
  ) : (
    <EntityLink group={group ?? ''} id={String(value)}>
      {name}
    </EntityLink>
  );
};

interface SortHeadingProps {
  readonly label: string;
  /** Undefined for a column by which the list cannot be sorted. */
  readonly field: string | undefined;
  readonly sort: Sort;
  readonly sortBy: (sort: string) => void;
}

const SortHeading = ({ label, field, sort, sortBy }: SortHeadingProps) => {
  if (field === undefined) return <th scope="col">{label}</th>;
  const isSorted = sort.field === field;
  const next = isSorted && sort.direction === 'asc' ? 'desc' : 'asc';
  return (
    <th scope="col" aria-sort={isSorted ? (sort.direction === 'desc' ? 'descending' : 'ascending') : undefined}>
      <button type="button" class="sort" title={texts.sortBy(label)} onClick={() => sortBy(`${field} ${next}`)}>
        {label}
      </button>
    </th>
  );
};

/** The name by which filters know a column. References are sorted by the names of their entities, or not at all: their ids mean nothing. */
const sortFieldOf = (column: string, filterable: readonly string[], shapeOf: ShapeOf): string | undefined => {
  const isReference = shapeOf(column) === 'reference';
  return [`${column}.name`, ...(isReference ? [] : [column, FILTER_NAMES[column] ?? ''])].find((name) => filterable.includes(name));
};

const HIDDEN = ['id', 'name', '_links', 'tags', 'createdAt', 'updatedAt'];
const MAX_COLUMNS = 4;
const MAX_LENGTH = 80;

export const usualColumns = (kind: KindView, data: readonly Entity[]): readonly string[] =>
  kind.columns ?? columnsOf(data, shapesOf(kind.group));

/** True for fields that no table shows: addresses of the API, what another column shows by name, and credentials. */
const isUnlisted = (name: string): boolean => name === '_links' || name === 'enrollment' || name.endsWith('Display') || isCredential(name);

/** All columns that a list can show: the usual ones, and what else its entities have. */
export const availableColumns = (kind: KindView, data: readonly Entity[]): readonly string[] => {
  const { titledBy: [title = 'name'] = [] } = kind;
  const names = [...usualColumns(kind, data), ...data.flatMap(Object.keys)];
  return [...new Set(names)].filter((name) => name !== title && !isUnlisted(name));
};

/** The columns of a kind without a table of its own: what the first entity says in few words. */
const columnsOf = ([first = { id: '' }]: readonly Entity[], shapeOf: ShapeOf): readonly string[] => {
  const isShort = (name: string, value: unknown): boolean =>
    value !== null &&
    (typeof value !== 'object' || shapeOf(name) === 'reference' || Array.isArray(value)) &&
    String(value).length < MAX_LENGTH;
  const names = Object.keys(first).filter(
    (name) => !HIDDEN.includes(name) && !isUnlisted(name) && !name.endsWith('Id') && isShort(name, first[name]),
  );
  return [...names.slice(0, MAX_COLUMNS), 'updatedAt'];
};
