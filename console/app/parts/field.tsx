import type { FormField } from '../schema.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';

interface Props {
  readonly field: FormField;
  readonly value: string | boolean;
  readonly change: (value: string | boolean) => void;
}

/** One field of a form, by how it is entered. */
export const Field = ({ field, value, change }: Props) => {
  const { name, entry, isRequired, description } = field;
  const id = `field-${name}`;
  const hint = [description, entry === 'lines' ? texts.onePerLine : entry === 'json' ? texts.asJson : undefined].filter(Boolean).join(' ');
  const label = (
    <label for={id}>
      {labelOf(name)} {isRequired && entry !== 'flag' && <span class="muted small">({texts.required})</span>}
    </label>
  );
  return (
    <div class={entry === 'flag' ? 'field flagged' : 'field'}>
      {entry !== 'flag' && label}
      <Entry {...{ field, value, change, id }} hint={hint === '' ? undefined : `${id}-hint`} />
      {entry === 'flag' && label}
      {hint !== '' && (
        <p id={`${id}-hint`} class="muted small">
          {hint}
        </p>
      )}
    </div>
  );
};

const Entry = ({
  field: { entry, isRequired, choices, maxLength, isSecret },
  value,
  change,
  id,
  hint,
}: Props & { readonly id: string; readonly hint: string | undefined }) => {
  const common = { id, required: isRequired, 'aria-describedby': hint };
  if (entry === 'flag')
    return (
      <input
        {...common}
        required={false}
        type="checkbox"
        checked={value === true}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    );
  const text = String(value);
  if (entry === 'choice')
    return (
      <select {...common} value={text} onChange={(event) => change(event.currentTarget.value)}>
        {(!isRequired || text === '') && <option value="">{texts.choose}</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  if (entry === 'lines' || entry === 'json')
    return (
      <textarea
        {...common}
        rows={entry === 'lines' ? 3 : 5}
        spellcheck={false}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
      />
    );
  const typed = {
    ...common,
    value: text,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => change(event.currentTarget.value),
    ...(maxLength === undefined ? {} : { maxLength }),
  };
  if (entry === 'number') return <input {...typed} type="number" />;
  if (isSecret) return <input {...typed} type="password" autocomplete="new-password" />;
  return <input {...typed} type="text" autocomplete="off" {...(entry === 'date' ? { placeholder: '2027-01-31T12:00:00Z' } : {})} />;
};
