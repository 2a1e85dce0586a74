import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { FormValue } from '../entered.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';
import { Combobox, type ComboboxOption } from './combobox.tsx';
import { useEntryFocus } from './entry-button.tsx';
import type { InputProps } from './input.tsx';

const t = texts.pickers;
/** Entries that are shown at first, and more of them at each request. */
const PAGE = 50;

/** The number of entries that are shown. */
export interface Limit {
  readonly limit: number;
  readonly showMore: () => void;
}

export const useLimit = (): Limit => {
  const [limit, setLimit] = useState(PAGE);
  return { limit, showMore: () => setLimit(limit + PAGE) };
};

export interface EntryOption extends ComboboxOption {
  /** The entry that the option adds. */
  readonly entry: string;
}

interface Props extends Limit {
  readonly props: InputProps;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly options: readonly EntryOption[] | undefined;
  readonly note?: ComponentChildren;
  /** Adds an entry, or does nothing. */
  readonly add: (entry: string) => void;
  /** The entry that a text stands for by itself; undefined for one of which an option has to be chosen. */
  readonly entryOf: (text: string) => string | undefined;
  readonly nameOf: (entry: string) => string;
  readonly chip: (entry: string) => ComponentChildren;
  readonly want?: () => void;
}

export const entriesOf = (shown: FormValue): readonly string[] => (Array.isArray(shown) ? shown.map(String) : []);

/** A list of texts: each is a chip that can be removed, and a combobox adds others. */
export const ChipsInput = (own: Props) => {
  const { props, text, setText, options, note, add, entryOf, nameOf, chip, want, limit, showMore } = own;
  const { field, shown, change, id, describedBy, isInvalid } = props;
  const entries = entriesOf(shown);
  const { status, focusOn } = useEntryFocus();
  const label = labelOf(field.name);
  const enter = (entry: string): void => {
    setText('');
    add(entry);
    focusOn(id, texts.added(nameOf(entry)));
  };
  const remove = (at: number): void => {
    change(entries.filter((_, index) => index !== at));
    focusOn(entries.length === 1 ? id : `${id}-remove-${Math.min(at, entries.length - 2)}`, texts.removed(nameOf(entries[at] ?? '')));
  };
  const leave = (): void => {
    const entry = entryOf(text.trim());
    if (entry === undefined) return;
    setText('');
    add(entry);
  };
  const press = (event: KeyboardEvent): void => {
    // Nothing is removed that is not shown.
    if (event.key === 'Backspace' && text === '' && entries.length > 0 && entries.length <= limit) remove(entries.length - 1);
    if (event.key !== 'Enter' || text.trim() === '') return;
    event.preventDefault();
    const entry = entryOf(text.trim());
    if (entry !== undefined) enter(entry);
  };
  return (
    <div class="picked">
      <Chips {...{ id, label, entries, nameOf, chip, remove, limit, showMore }} />
      <Combobox
        id={id}
        listLabel={label}
        text={text}
        setText={setText}
        options={options}
        activatesFirst
        choose={({ entry }) => enter(entry)}
        leave={leave}
        press={press}
        invalidText={text.trim() !== '' && entryOf(text.trim()) === undefined ? t.chooseOne : ''}
        note={note}
        input={{
          'aria-describedby': describedBy,
          ...(isInvalid ? { 'aria-invalid': true as const } : {}),
          ...(want ? { onFocus: want } : {}),
          onPaste: (event) => {
            const lines = (event.clipboardData?.getData('text') ?? '').split(/[\r\n]+/).map((line) => entryOf(line.trim()));
            const found = lines.filter((line) => line !== undefined);
            if (found.length < 2) return;
            event.preventDefault();
            change([...new Set([...entries, ...found])]);
          },
        }}
      />
      {status}
    </div>
  );
};

interface ChipsProps extends Limit, Pick<Props, 'nameOf' | 'chip'> {
  readonly id: string;
  readonly label: string;
  readonly entries: readonly string[];
  readonly remove: (at: number) => void;
}

const Chips = ({ id, label, entries, nameOf, chip, remove, limit, showMore }: ChipsProps) => {
  const visible = entries.slice(0, limit);
  if (entries.length === 0) return null;
  return (
    <ul class="chips" aria-label={label}>
      {visible.map((entry, at) => (
        <li class="chip" key={entry}>
          {chip(entry)}
          <button
            id={`${id}-remove-${at}`}
            type="button"
            class="quiet remove"
            aria-label={`${texts.remove}: ${nameOf(entry)}`}
            onClick={() => remove(at)}
          >
            ×
          </button>
        </li>
      ))}
      {visible.length < entries.length && (
        <li>
          <span class="muted small">{texts.more(entries.length - limit)}</span>
          <button type="button" class="quiet" onClick={showMore}>
            {texts.data.moreEntries(Math.min(PAGE, entries.length - limit))}
          </button>
        </li>
      )}
    </ul>
  );
};
