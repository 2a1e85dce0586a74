import { filter as filterText } from '../../../src/client/index.ts';
import { type Entity, entityApi, type KindView, titleOf } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { ToEntity } from '../parts/entity-link.tsx';
import { FilterField } from '../parts/filter-field.tsx';
import { Heading } from '../parts/heading.tsx';
import { Paging } from '../parts/paging.tsx';
import { Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';

const PAGE = 25;

interface Props {
  readonly session: Session;
  readonly kind: KindView;
  readonly query: Readonly<Record<string, string>>;
}

/** The entities of a kind: filtered, sorted and paged by the controller. What is shown stands in the address. */
export const List = ({ session, kind, query }: Props) => {
  const { group } = kind;
  const offset = Math.max(0, Number(query['offset']) || 0);
  const { filter = '', sort = '' } = query;
  const input = { limit: PAGE, offset, ...(filter ? { filter: asCondition(filter) } : {}), ...(sort ? { sort } : {}) };
  const { value, error, isLoading, reload } = useLoaded(JSON.stringify([group, input]), (signal) =>
    entityApi(group).list(input, { signal }),
  );
  const show = (changes: Readonly<Record<string, string | undefined>>): void =>
    goTo(hrefOf(['entities', group], { ...query, offset: undefined, ...changes }));
  const fields = value?.filterableFields ?? [];
  return (
    <>
      <Heading text={kind.label}>
        {session.may(group, 'create') && (
          <a class="button primary" href={hrefOf(['entities', group, 'new'])}>
            {texts.newOne(kind.one)}
          </a>
        )}
      </Heading>
      <FilterField key={filter} value={filter} fields={fields} apply={(text) => show({ filter: text })} />
      {error !== undefined && <Problem error={error} retry={reload} />}
      {error === undefined && value && (
        <>
          {value.data.length === 0 ? (
            <p class="empty">{filter ? texts.noMatch : texts.none}</p>
          ) : (
            <Table
              group={group}
              rows={value.data}
              columns={kind.columns ?? columnsOf(value.data)}
              sort={sort}
              sortable={fields}
              sortBy={(to) => show({ sort: to })}
              isLoading={isLoading}
            />
          )}
          <Paging
            {...value.pagination}
            limit={PAGE}
            shown={value.data.length}
            goTo={(to) => show({ offset: to === 0 ? undefined : String(to) })}
          />
        </>
      )}
      {error === undefined && !value && <p>{texts.loading}</p>}
    </>
  );
};

/** A part of a name is searched for; anything with an operator is a condition of the filter language. */
const asCondition = (text: string): string =>
  /[=<>"]|\b(contains|in|between|anyof|allof|not|limit|true|false)\b/i.test(text) ? text : filterText`name icontains ${text}`;

const HIDDEN = ['id', 'name', '_links', 'tags', 'createdAt', 'updatedAt'];

/** The columns of a kind without a table of its own: what the first entities say in few words. */
const columnsOf = (rows: readonly Entity[]): readonly string[] => {
  const isShort = (value: unknown): boolean =>
    value !== null && (typeof value !== 'object' || Array.isArray(value) || 'name' in (value ?? {})) && String(value).length < 80;
  const names = Object.entries(rows[0] ?? {}).flatMap(([name, value]) =>
    !HIDDEN.includes(name) && !/Id$/.test(name) && isShort(value) ? [name] : [],
  );
  return [...names.slice(0, 4), 'updatedAt'];
};

interface TableProps {
  readonly group: string;
  readonly rows: readonly Entity[];
  readonly columns: readonly string[];
  readonly sort: string;
  readonly sortable: readonly string[];
  readonly sortBy: (sort: string) => void;
  readonly isLoading: boolean;
}

const Table = ({ group, rows, columns, sort, sortable, sortBy, isLoading }: TableProps) => {
  const [field, direction = 'asc'] = sort.split(' ');
  const head = (column: string) => {
    const isSorted = field === column;
    const label = column === 'name' ? texts.name : labelOf(column);
    return (
      <th key={column} scope="col" aria-sort={isSorted ? (direction === 'desc' ? 'descending' : 'ascending') : undefined}>
        {sortable.includes(column) ? (
          <button
            type="button"
            class="sort"
            title={texts.sortBy(label)}
            onClick={() => sortBy(isSorted && direction === 'asc' ? `${column} desc` : `${column} asc`)}
          >
            {label}
          </button>
        ) : (
          label
        )}
      </th>
    );
  };
  return (
    <div class="scroll">
      <table aria-busy={isLoading}>
        <thead>
          <tr>
            {head('name')}
            {columns.map(head)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">
                <ToEntity group={group} id={row.id}>
                  {titleOf(row)}
                </ToEntity>
              </th>
              {columns.map((column) => (
                <td key={column} data-label={labelOf(column)}>
                  <Value value={row[column]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
