import { useState } from 'preact/hooks';
import { listPreferences, MAX_FILTER, MAX_NAME, MAX_SAVED, setListPreferences } from '../preferences.ts';
import { hrefOf } from '../router.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';

const t = texts.view;

interface Props {
  readonly group: string;
  /** The columns that the list shows. */
  readonly columns: readonly string[];
  /** All columns that it can show. */
  readonly available: readonly string[];
  readonly filter: string;
  /** Values of facets, as in the address. */
  readonly is: string;
}

/** The columns and the density of a list, and its saved filters. */
export const ListView = (props: Props) => (
  <>
    <ColumnChoice {...props} />
    <SavedFilters {...props} />
  </>
);

const ColumnChoice = ({ group, columns, available }: Props) => {
  const { isCompact = false } = listPreferences(group);
  const toggle = (column: string): void => {
    const chosen = available.filter((each) => columns.includes(each) !== (each === column));
    setListPreferences(group, { columns: chosen });
  };
  return (
    <details>
      <summary>{t.columns}</summary>
      <fieldset>
        <legend class="unseen">{t.columns}</legend>
        {available.map((column) => (
          <label key={column} class="option">
            <input
              type="checkbox"
              checked={columns.includes(column)}
              disabled={columns.length === 1 && columns.includes(column)}
              onChange={() => toggle(column)}
            />
            {labelOf(column)}
          </label>
        ))}
      </fieldset>
      <div class="actions">
        <label class="option">
          <input type="checkbox" checked={isCompact} onChange={() => setListPreferences(group, { isCompact: !isCompact })} />
          {t.compact}
        </label>
        <button type="button" onClick={() => setListPreferences(group, { columns: [], isCompact: false })}>
          {t.usual}
        </button>
      </div>
    </details>
  );
};

const SavedFilters = ({ group, filter, is }: Pick<Props, 'group' | 'filter' | 'is'>) => {
  const [name, setName] = useState('');
  const { filters = [] } = listPreferences(group);
  const isEmpty = filter === '' && is === '';
  const maySave = !isEmpty && filter.length + is.length <= MAX_FILTER && filters.length < MAX_SAVED;
  return (
    <details>
      <summary>{t.saved(filters.length)}</summary>
      <ul>
        {filters.map((saved) => (
          <li key={saved.name} class="actions">
            <a href={hrefOf(['entities', group], { filter: saved.filter, is: saved.is })}>{saved.name}</a>
            <button
              type="button"
              class="quiet"
              aria-label={`${texts.remove}: ${saved.name}`}
              onClick={() => setListPreferences(group, { filters: filters.filter((each) => each !== saved) })}
            >
              {texts.remove}
            </button>
          </li>
        ))}
      </ul>
      {maySave ? (
        <form
          class="actions"
          onSubmit={(event) => {
            event.preventDefault();
            const others = filters.filter((each) => each.name !== name.trim());
            setListPreferences(group, { filters: [...others, { name: name.trim(), filter, is }] });
            setName('');
          }}
        >
          <input
            type="text"
            required
            pattern=".*\S.*"
            maxLength={MAX_NAME}
            aria-label={t.filterName}
            placeholder={t.filterName}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit">{t.save}</button>
        </form>
      ) : (
        <p class="muted small">{filters.length >= MAX_SAVED ? t.full(MAX_SAVED) : isEmpty ? t.empty : t.tooLong}</p>
      )}
    </details>
  );
};
