import { useState } from 'preact/hooks';
import { type ListQuery, readList } from '../entity-list.ts';
import { useLoaded } from '../loaded.ts';
import { type CountedList, type RelatedList, readRelatedLists } from '../related.ts';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { FilteredLink } from './entity-link.tsx';
import { EntityTable } from './entity-table.tsx';
import { Paging } from './paging.tsx';
import { Problem } from './problem.tsx';

const t = texts.related;

interface Props {
  readonly session: Session;
  readonly group: string;
  readonly id: string;
  /** The group of the list that the address names. */
  readonly shown: string | undefined;
  /** When it changes, the lists are read again. */
  readonly turn: number;
}

/** The entities that are related to an entity, one list at a time. */
export const Related = ({ session, group, id, shown, turn }: Props) => {
  const { value = [], isLoading } = useLoaded(`related ${group}/${id}`, (signal) => readRelatedLists(session, group, id, signal), turn);
  const current = value.find(({ kind }) => kind.group === shown) ?? value.find(({ count }) => count !== 0) ?? value[0];
  if (!current) return isLoading ? <p>{texts.loading}</p> : null;
  return (
    <section aria-labelledby="related">
      <h2 id="related">{t.title}</h2>
      <nav class="tabs" aria-label={t.title}>
        {value.map((list) => (
          <a
            key={list.kind.group}
            href={hrefOf(['entities', group, id], { related: list.kind.group })}
            aria-current={list === current ? 'true' : undefined}
          >
            {labelOf(list)}
          </a>
        ))}
      </nav>
      <RelatedPage key={current.kind.group} related={current} turn={turn} />
    </section>
  );
};

const labelOf = ({ kind, count }: CountedList): string => (count === undefined ? kind.label : t.counted(kind.label, count));

/** A page of a related list, with the columns of the list of its kind. */
const RelatedPage = ({ related: { kind, list, filter }, turn }: { readonly related: RelatedList; readonly turn: number }) => {
  const [query, setQuery] = useState<ListQuery>({});
  const { value, error, isLoading, reload } = useLoaded(JSON.stringify(query), (signal) => readList(kind, query, signal, list), turn);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const { data, pagination } = value.page;
  if (data.length === 0) return <p class="muted">{texts.none}</p>;
  return (
    <>
      <EntityTable kind={kind} list={value} sortBy={(sort) => setQuery({ sort })} isLoading={isLoading} />
      <Paging {...pagination} shownCount={data.length} goTo={(offset) => setQuery({ ...query, offset: String(offset) })} />
      {filter !== undefined && (
        <p class="small">
          <FilteredLink group={kind.group} filter={filter}>
            {t.open(kind.label)}
          </FilteredLink>
        </p>
      )}
    </>
  );
};
