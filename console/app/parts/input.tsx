import type { Shown } from '../entered.ts';
import type { FormField } from '../schema.ts';
import { texts } from '../texts.ts';

interface Props {
  readonly field: FormField;
  readonly shown: Shown;
  readonly change: (shown: Shown) => void;
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
}

/** True for a field in which something must be entered. */
export const mustBeFilled = ({ entry, isRequired, mayBeEmpty, minItems }: FormField): boolean =>
  isRequired && !mayBeEmpty && entry !== 'flag' && (entry !== 'lines' || minItems > 0);

/** Texts that may be longer have lines, such as certificates. */
const MAX_LINE = 65_536;

/** Where one value is entered. */
export const Input = ({ field, shown, change, id, describedBy, isInvalid }: Props) => {
  const { entry, choices, maxLength, minimum, maximum, isSecret } = field;
  const common = {
    id,
    required: mustBeFilled(field),
    'aria-describedby': describedBy,
    ...(isInvalid ? { 'aria-invalid': true } : {}),
  };
  if (entry === 'flag')
    return <input {...common} type="checkbox" checked={shown === true} onChange={(event) => change(event.currentTarget.checked)} />;
  const text = typeof shown === 'string' ? shown : '';
  if (entry === 'choice')
    return (
      <select {...common} value={text} onChange={(event) => change(event.currentTarget.value)}>
        {(!field.isRequired || text === '') && <option value="">{texts.choose}</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  if (entry === 'lines' || entry === 'json' || (entry === 'text' && !isSecret && (maxLength ?? 0) > MAX_LINE))
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
  if (entry === 'number')
    return (
      <input
        {...typed}
        type="number"
        {...(minimum === undefined ? {} : { min: minimum })}
        {...(maximum === undefined ? {} : { max: maximum })}
      />
    );
  if (isSecret) return <input {...typed} type="password" autocomplete="new-password" />;
  return <input {...typed} type="text" autocomplete="off" {...(entry === 'date' ? { placeholder: '2027-01-31T12:00:00Z' } : {})} />;
};
