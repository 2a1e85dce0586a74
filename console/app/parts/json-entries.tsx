import { useId, useState } from 'preact/hooks';
import { isObject, newValue, typeOfJson } from '../json-schema.ts';
import { texts } from '../texts.ts';
import { EntryButton, useEntryFocus } from './entry-button.tsx';
import { JsonField } from './json-field.tsx';
import { About, type JsonControlProps, useAbout, within } from './json-labelled.tsx';

const t = texts.data;
/** More entries are shown on request. */
const PAGE = 50;

/** A list of values that have fields of their own. */
export const JsonEntries = (props: JsonControlProps) => {
  const { root, schema, path, value, change, label, isRequired, depth, end } = props;
  const id = useId();
  const { 'aria-describedby': describedBy } = useAbout(id, props);
  const { status, focusOn } = useEntryFocus();
  const [limit, setLimit] = useState(PAGE);
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const set = (next: readonly unknown[]): void => change(next.length === 0 && !isRequired ? undefined : next);
  const add = (): void => {
    // An entry without a value yet is null, which is what JSON has for it.
    set([...entries, newValue(root, schema.items) ?? null]);
    setLimit(Math.max(limit, entries.length + 1));
    focusOn(`${id}-${entries.length}`, texts.added(texts.entry(entries.length + 1)));
  };
  const remove = (at: number): void => {
    set(entries.filter((_, index) => index !== at));
    focusOn(`${id}-add`, texts.removed(texts.entry(at + 1)));
  };
  return (
    <fieldset aria-describedby={describedBy}>
      <legend>
        {label} {isRequired && <span class="muted small">({texts.required})</span>}
      </legend>
      <About id={id} schema={schema} path={path} />
      {entries.slice(0, limit).map((entry, at) => (
        // Entries have no identity but their position.
        <fieldset key={at} id={`${id}-${at}`} tabIndex={-1} class="entry plain" aria-label={texts.entry(at + 1)}>
          <JsonField
            name=""
            label={texts.entry(at + 1)}
            path={within(path, at)}
            root={root}
            schema={schema.items}
            value={entry === null ? undefined : entry}
            change={(next) => set(entries.with(at, next ?? null))}
            isRequired
            depth={depth + 1}
          />
          <EntryButton label={texts.remove} about={`${texts.entry(at + 1)}, ${label}`} act={() => remove(at)} />
        </fieldset>
      ))}
      {entries.length > limit && (
        <button type="button" class="quiet entry-button" onClick={() => setLimit(limit + PAGE)}>
          {t.moreEntries(Math.min(PAGE, entries.length - limit))}
        </button>
      )}
      <EntryButton id={`${id}-add`} label={texts.add} about={label} act={add} />
      {status}
      {end}
    </fieldset>
  );
};

/** A map of names to values of one form. */
export const JsonMap = (props: JsonControlProps) => {
  const { root, schema, path, value, change, label, isRequired, depth, end } = props;
  const id = useId();
  const { 'aria-describedby': describedBy } = useAbout(id, props);
  const { status, focusOn } = useEntryFocus();
  const [name, setName] = useState('');
  const entries = Object.entries(isObject(value) ? value : {});
  const set = (next: readonly (readonly [string, unknown])[]): void =>
    change(next.length === 0 && !isRequired ? undefined : Object.fromEntries(next));
  const add = (): void => {
    if (name === '' || entries.some(([key]) => key === name)) return;
    set([...entries, [name, newValue(root, schema.additionalProperties) ?? null]]);
    setName('');
    focusOn(`${id}-${entries.length}`, texts.added(name));
  };
  return (
    <fieldset aria-describedby={describedBy}>
      <legend>{label}</legend>
      <About id={id} schema={schema} path={path} />
      {entries.map(([key, each], at) => (
        <fieldset key={key} id={`${id}-${at}`} tabIndex={-1} class="entry plain" aria-label={key}>
          <JsonField
            name=""
            label={key}
            path={within(path, key)}
            root={root}
            schema={schema.additionalProperties}
            value={typeOfJson(each) === 'null' ? undefined : each}
            change={(next) => set(entries.with(at, [key, next ?? null]))}
            isRequired
            depth={depth + 1}
          />
          <EntryButton
            label={texts.remove}
            about={`${key}, ${label}`}
            act={() => {
              set(entries.filter((_, index) => index !== at));
              focusOn(`${id}-key`, texts.removed(key));
            }}
          />
        </fieldset>
      ))}
      <div class="field">
        <label for={`${id}-key`}>{texts.key}</label>
        <input
          id={`${id}-key`}
          type="text"
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
      </div>
      <EntryButton label={texts.add} about={label} act={add} />
      {status}
      {end}
    </fieldset>
  );
};
