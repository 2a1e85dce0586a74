import { useLayoutEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Combobox } from './combobox.tsx';

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
  useLayoutEffect(() => setText(value), [value]);
  const [, before = '', word = ''] = /^(.*?)([A-Za-z_.]*)$/s.exec(text) ?? [];
  const isAtField = BEFORE_FIELD.test(before) && word !== '';
  const completions = isAtField
    ? fields.filter((field) => field.toLowerCase().startsWith(word.toLowerCase()) && field !== word).slice(0, MAX_COMPLETIONS)
    : [];
  const clear = (): void => {
    setText('');
    apply('');
    document.getElementById('filter')?.focus();
  };
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        apply(text.trim());
      }}
    >
      <label for="filter" class="unseen">
        {texts.filter}
      </label>
      <Combobox
        id="filter"
        listLabel={texts.completions}
        text={text}
        setText={setText}
        options={completions.map((field) => ({ key: field, label: field }))}
        choose={({ label }) => setText(`${before}${label} `)}
        saysNumber={false}
        input={{ 'aria-describedby': 'filter-hint' }}
      />
      <button type="submit">{texts.apply}</button>
      {value !== '' && (
        <button type="button" class="quiet" onClick={clear}>
          {texts.clear}
        </button>
      )}
      <p id="filter-hint" class="muted small">
        {texts.filterHint}
      </p>
    </form>
  );
};
