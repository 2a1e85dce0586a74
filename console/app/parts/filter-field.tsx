import { useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';

interface Props {
  readonly value: string;
  /** The fields that the list can be filtered by. */
  readonly fields: readonly string[];
  readonly apply: (filter: string) => void;
}

const MAX_COMPLETIONS = 8;
/** Words after which a field begins. */
const BEFORE_FIELD = /(^|\(|\b(and|or|not|anyOf|allOf|noneOf|count|isEmpty)\b)\s*\(?\s*$/i;

/** The filter of a list. It completes names of fields: arrow keys choose one, Enter takes it. */
export const FilterField = ({ value, fields, apply }: Props) => {
  const [text, setText] = useState(value);
  const [chosen, setChosen] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const [, before = '', word = ''] = /^(.*?)([A-Za-z_.]*)$/s.exec(text) ?? [];
  const isAtField = BEFORE_FIELD.test(before) && word !== '';
  const completions =
    isOpen && isAtField
      ? fields.filter((field) => field.toLowerCase().startsWith(word.toLowerCase()) && field !== word).slice(0, MAX_COMPLETIONS)
      : [];
  const take = (field: string): void => {
    setText(`${before}${field} `);
    setChosen(-1);
    input.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (completions.length === 0) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const field = completions[chosen];
    if (step !== 0) setChosen((chosen + step + completions.length) % completions.length);
    else if (event.key === 'Enter' && field !== undefined) take(field);
    else if (event.key === 'Escape') setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        setOpen(false);
        apply(text.trim());
      }}
    >
      <label for="filter">{texts.filter}</label>
      <div class="combo">
        <input
          id="filter"
          ref={input}
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-expanded={completions.length > 0}
          aria-controls="completions"
          aria-autocomplete="list"
          aria-describedby="filter-hint"
          aria-activedescendant={chosen >= 0 ? `completion-${chosen}` : undefined}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(-1);
            setOpen(true);
          }}
          onKeyDown={press}
          onBlur={() => setOpen(false)}
        />
        <div id="completions" role="listbox" aria-label={texts.completions} hidden={completions.length === 0}>
          {completions.map((field, index) => (
            // The pointer chooses without taking the focus; the keyboard chooses in the field.
            <div
              id={`completion-${index}`}
              key={field}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onMouseDown={(event) => {
                event.preventDefault();
                take(field);
              }}
            >
              {field}
            </div>
          ))}
        </div>
      </div>
      <button type="submit">{texts.apply}</button>
      {value !== '' && (
        <button type="button" class="quiet" onClick={() => apply('')}>
          {texts.clear}
        </button>
      )}
      <p id="filter-hint" class="muted small">
        {texts.filterHint}
      </p>
    </form>
  );
};
