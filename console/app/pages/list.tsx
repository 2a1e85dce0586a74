import { bulkActionsOf } from '../bulk.ts';
import { type EntityList, type ListQuery, readList } from '../entity-list.ts';
import type { KindView } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { useObservable } from '../observable.ts';
import { Bulk, useSelection } from '../parts/bulk.tsx';
import { Empty } from '../parts/empty.tsx';
import { availableColumns, EntityTable, usualColumns } from '../parts/entity-table.tsx';
import { ExportButtons } from '../parts/export-buttons.tsx';
import { Facets } from '../parts/facets.tsx';
import { FilterField } from '../parts/filter-field.tsx';
import { Heading } from '../parts/heading.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Paging } from '../parts/paging.tsx';
import { Problem } from '../parts/problem.tsx';
import { listPreferences, preferencesVersion } from '../preferences.ts';
import { goTo, hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { FirstSetup, SetupLink } from '../setup/setup-link.tsx';
import { texts } from '../texts.ts';

const t = texts.search;

interface Props {
  readonly session: Session;
  readonly kind: KindView;
  readonly query: ListQuery;
}

/** The entities of a kind: filtered, sorted and paged by the controller. The state of the view is in the URL. */
export const List = ({ session, kind, query }: Props) => {
  const { group } = kind;
  const { filter = '', is = '' } = query;
  useObservable(preferencesVersion);
  const { columns = [], isCompact = false } = listPreferences(group);
  const { value, error, isLoading, reload } = useLoaded(JSON.stringify([group, query]), (signal) => readList(kind, query, signal));
  const selection = useSelection(`${filter} ${is}`);
  const mayChange = bulkActionsOf(session, kind).length > 0;
  const show = (changes: ListQuery): void => {
    const { offset: _, ...others } = query;
    goTo(hrefOf(['entities', group], { ...others, ...changes }));
  };
  return (
    <>
      <Heading text={kind.label}>
        <SetupLink session={session} group={group} />
        {session.may('roleAttributes', group) && (
          <a class="button" href={hrefOf(['attributes', group])}>
            {texts.attributes.link}
          </a>
        )}
        {session.may(group, 'create') && (
          <a class="button primary" href={hrefOf(['entities', group, 'new'])}>
            <Icon name="add" />
            {texts.newEntity(kind.singular)}
          </a>
        )}
      </Heading>
      <FilterField value={filter} fields={value?.page.filterableFields ?? []} apply={(text) => show({ filter: text })} />
      <Facets {...{ session, group, is }} filterable={value?.page.filterableFields ?? []} choose={(chosen) => show({ is: chosen })} />
      {error !== undefined && <Problem error={error} retry={reload} />}
      {error === undefined && !value && <p>{texts.loading}</p>}
      {error === undefined && value && (
        <>
          <Notes list={value} />
          {value.page.data.length === 0 ? (
            <NothingListed {...{ session, kind }} isFiltered={value.filter !== undefined} showAll={() => show({ filter: '', is: '' })} />
          ) : (
            <>
              <Bulk
                {...{ session, kind, selection, isLoading }}
                list={value}
                done={() => {
                  selection.set(new Map());
                  reload();
                }}
              />
              <EntityTable
                kind={kind}
                list={value}
                sortBy={(sort) => show({ sort })}
                isLoading={isLoading}
                isCompact={isCompact}
                columns={shownColumns(kind, value, columns)}
                {...(mayChange ? { selection } : {})}
              />
            </>
          )}
          <Paging
            {...value.page.pagination}
            shownCount={value.page.data.length}
            goTo={(offset) => show(offset === 0 ? {} : { offset: String(offset) })}
          />
          {(value.filter !== undefined || value.page.data.length > 0) && (
            <div class="tools">
              <ListView
                {...{ group, filter, is }}
                columns={shownColumns(kind, value, columns)}
                available={availableColumns(kind, value.page.data)}
              />
              <ExportButtons key={JSON.stringify([value.filter, value.sort])} kind={kind} list={value} />
            </div>
          )}
        </>
      )}
    </>
  );
};

interface NothingProps extends Omit<Props, 'query'> {
  readonly isFiltered: boolean;
  readonly showAll: () => void;
}

/** A list without entries: how to see others, or what such entities are for and how to begin. */
const NothingListed = ({ session, kind, isFiltered, showAll }: NothingProps) =>
  isFiltered ? (
    <Empty icon="search" text={texts.noMatch}>
      <button type="button" onClick={showAll}>
        {texts.showAll}
      </button>
    </Empty>
  ) : (
    <Empty icon={kind.icon} text={texts.none} hint={texts.purposes[kind.group]}>
      <FirstSetup session={session} group={kind.group} />
    </Empty>
  );

/** The chosen columns that the list has, or the usual ones. */
const shownColumns = (kind: KindView, { page }: EntityList, chosen: readonly string[]): readonly string[] => {
  const available = availableColumns(kind, page.data);
  const shown = chosen.filter((column) => available.includes(column));
  return shown.length > 0 ? shown : usualColumns(kind, page.data);
};

/** Differences between the list and what was entered, or the parameters of the address. */
const Notes = ({ list: { search, notes, page } }: { readonly list: EntityList }) => {
  const hint = search.is === 'text' ? hintOf(search, page.filterableFields ?? []) : undefined;
  const all = hint === undefined ? notes : [hint, ...notes];
  return (
    <div role="status">
      {all.map((note) => (
        <p key={note} class="muted small">
          {note}
        </p>
      ))}
    </div>
  );
};

/** A hint for a text that may be meant as a condition. */
const hintOf = ({ text, reason }: { readonly text: string; readonly reason?: string }, fields: readonly string[]): string | undefined => {
  if (reason !== undefined) return t.noCondition(text, reason);
  const field = fields.find((name) => new RegExp(`^(not )?${name.replaceAll('.', '\\.')}$`).test(text));
  return field === undefined ? undefined : t.fieldName(field);
};
