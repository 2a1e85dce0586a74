import type { ComponentChildren } from 'preact';
import type { FormValue } from '../entered.ts';
import type { FieldProblem } from '../field-problem.ts';
import { type Entry, type FormField, isTextList } from '../schema.ts';
import { texts } from '../texts.ts';
import { DataInput } from './data-input.tsx';
import { DateInput } from './date-input.tsx';
import { PemInput } from './pem-input.tsx';
import { ReferenceInput } from './reference-input.tsx';
import { ReferencesInput } from './references-input.tsx';
import { AttributesInput, SelectorsInput } from './roles-input.tsx';

export interface InputProps {
  readonly field: FormField;
  readonly shown: FormValue;
  readonly change: (shown: FormValue) => void;
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  /** Why the value is invalid, for a control that shows it beside a part. */
  readonly problem?: FieldProblem | undefined;
  readonly isRequired: boolean;
}

/** True for a field in which something must be entered. */
export const mustBeFilled = ({ entry, isRequired, mayBeEmpty, minItems }: FormField): boolean =>
  isRequired && !mayBeEmpty && entry !== 'flag' && !isTextList(entry) && (entry !== 'lines' || minItems > 0);

/** Fields that browsers fill in by themselves. */
const AUTOCOMPLETE: Readonly<Record<string, string>> = { currentPassword: 'current-password', code: 'one-time-code' };

/** Texts that may be longer are certificates and keys. */
const MAX_LINE = 65_536;

/** The controls with parts of their own, by the entry of the field. */
const LARGE: Partial<Readonly<Record<Entry, (props: InputProps & { readonly group: string }) => ComponentChildren>>> = {
  reference: ReferenceInput,
  references: ReferencesInput,
  attributes: AttributesInput,
  selectors: SelectorsInput,
  date: DateInput,
  data: DataInput,
};

/** The control for a single value. */
export const Input = (props: InputProps) => {
  const { field, shown, change, id, describedBy, isInvalid, isRequired } = props;
  const { entry, maxLength, minimum, maximum, isSecret } = field;
  const Large = LARGE[entry];
  if (Large) return <Large {...props} group={field.target ?? ''} />;
  if (entry === 'text' && !isSecret && (maxLength ?? 0) > MAX_LINE) return <PemInput {...props} />;
  const common = { id, required: isRequired, 'aria-describedby': describedBy, ...(isInvalid ? { 'aria-invalid': true as const } : {}) };
  if (entry === 'flag')
    return <input {...common} type="checkbox" checked={shown === true} onChange={(event) => change(event.currentTarget.checked)} />;
  const text = typeof shown === 'string' ? shown : '';
  if (entry === 'choice') return <Choice {...common} {...{ field, text, change }} />;
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
  if (entry === 'number')
    return (
      <input
        {...typed}
        type="number"
        {...(minimum === undefined ? {} : { min: minimum })}
        {...(maximum === undefined ? {} : { max: maximum })}
      />
    );
  const autocomplete = AUTOCOMPLETE[field.name] ?? (isSecret ? 'new-password' : 'off');
  return isSecret ? <input {...typed} {...{ autocomplete }} type="password" /> : <input {...typed} {...{ autocomplete }} type="text" />;
};

interface ChoiceProps extends Pick<InputProps, 'field' | 'change' | 'id'> {
  readonly text: string;
}

const Choice = ({ field, text, change, ...common }: ChoiceProps) => (
  <select {...common} value={text} onChange={(event) => change(event.currentTarget.value)}>
    {(!field.isRequired || text === '') && <option value="">{texts.choose}</option>}
    {field.choices.map((choice) => (
      <option key={choice} value={choice}>
        {field.choiceTexts?.[choice] ?? choice}
      </option>
    ))}
  </select>
);
