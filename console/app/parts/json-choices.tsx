/** JSON values that are chosen from a few. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { includesJson, isSameJson, resolvedSchema } from '../json-schema.ts';
import { texts } from '../texts.ts';
import { About, type JsonControlProps, Labelled, useAbout } from './json-labelled.tsx';

export const Choice = (props: JsonControlProps & { readonly values: readonly unknown[] }) => {
  const id = useId();
  const about = useAbout(id, props);
  const { value, change, isRequired, values } = props;
  const at = values.findIndex((each) => isSameJson(each, value));
  return (
    <Labelled props={props} id={id}>
      <select
        id={id}
        required={isRequired}
        {...about}
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

/** A property that is either true or absent. */
export const Flag = (props: JsonControlProps) => {
  const id = useId();
  const about = useAbout(id, props);
  const { schema, path, value, change, label, end } = props;
  return (
    <div class="field flagged">
      <input
        id={id}
        type="checkbox"
        {...about}
        checked={value === true}
        onChange={(event) => change(event.currentTarget.checked ? true : undefined)}
      />
      <label for={id}>{label}</label>
      <About id={id} schema={schema} path={path} />
      {end}
    </div>
  );
};

/** A list whose items are chosen from a few values. */
export const Checks = (props: JsonControlProps) => {
  const id = useId();
  const { 'aria-describedby': describedBy } = useAbout(id, props);
  const { root, schema, path, value, change, label, isRequired, end } = props;
  const choices = resolvedSchema(root, schema.items, undefined).enum ?? [];
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const first = useRef<HTMLInputElement>(null);
  const isMissing = isRequired && chosen.length === 0;
  useEffect(() => first.current?.setCustomValidity(isMissing ? texts.data.chooseSome : ''), [isMissing]);
  const set = (choice: unknown, isOn: boolean): void => {
    const next = isOn ? [...chosen, choice] : chosen.filter((each) => !isSameJson(each, choice));
    change(next.length === 0 && !isRequired ? undefined : next);
  };
  return (
    <fieldset aria-describedby={describedBy}>
      <legend>
        {label} {isRequired && <span class="muted small">({texts.required})</span>}
      </legend>
      <About id={id} schema={schema} path={path} />
      <div class="checks">
        {choices.map((choice, at) => (
          <label key={at}>
            <input
              ref={at === 0 ? first : null}
              type="checkbox"
              checked={includesJson(chosen, choice)}
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
