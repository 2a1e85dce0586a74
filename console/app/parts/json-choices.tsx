/** Values of JSON that are chosen among a few. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { isSameJson, resolvedSchema } from '../json-schema.ts';
import { texts } from '../texts.ts';
import { Hint, hintOf, type JsonControlProps, Labelled } from './json-labelled.tsx';

export const Choice = (props: JsonControlProps & { readonly values: readonly unknown[] }) => {
  const id = useId();
  const { schema, value, change, isRequired, values } = props;
  const at = values.findIndex((each) => isSameJson(each, value));
  return (
    <Labelled props={props} id={id}>
      <select
        id={id}
        required={isRequired}
        aria-describedby={hintOf(id, schema)}
        value={at === -1 ? '' : String(at)}
        onChange={(event) => change(event.currentTarget.value === '' ? undefined : values[Number(event.currentTarget.value)])}
      >
        {(!isRequired || at === -1) && <option value="">{texts.choose}</option>}
        {values.map((each, index) => (
          <option key={index} value={String(index)}>
            {textOfChoice(each)}
          </option>
        ))}
      </select>
    </Labelled>
  );
};

const textOfChoice = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? texts.yes : texts.no) : typeof value === 'string' ? value : JSON.stringify(value);

/** A property that is true or not there. */
export const Flag = (props: JsonControlProps) => {
  const id = useId();
  const { schema, value, change, label, end } = props;
  return (
    <div class="field flagged">
      <input
        id={id}
        type="checkbox"
        aria-describedby={hintOf(id, schema)}
        checked={value === true}
        onChange={(event) => change(event.currentTarget.checked ? true : undefined)}
      />
      <label for={id}>{label}</label>
      <Hint id={id} schema={schema} />
      {end}
    </div>
  );
};

/** A list of some of a few values. */
export const Checks = (props: JsonControlProps) => {
  const id = useId();
  const { root, schema, value, change, label, isRequired, end } = props;
  const choices = resolvedSchema(root, schema.items, undefined).enum ?? [];
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const first = useRef<HTMLInputElement>(null);
  const isMissing = isRequired && chosen.length === 0;
  useEffect(() => first.current?.setCustomValidity(isMissing ? texts.data.chooseSome : ''), [isMissing]);
  const set = (choice: unknown, isOn: boolean): void => {
    const next = isOn ? [...chosen, choice] : chosen.filter((each) => each !== choice);
    change(next.length === 0 && !isRequired ? undefined : next);
  };
  return (
    <fieldset aria-describedby={hintOf(id, schema)}>
      <legend>
        {label} {isRequired && <span class="muted small">({texts.required})</span>}
      </legend>
      <Hint id={id} schema={schema} />
      <div class="checks">
        {choices.map((choice, at) => (
          <label key={at}>
            <input
              ref={at === 0 ? first : null}
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={(event) => set(choice, event.currentTarget.checked)}
            />{' '}
            {textOfChoice(choice)}
          </label>
        ))}
      </div>
      {end}
    </fieldset>
  );
};
