/** Values of JSON that are entered as text. */
import { useId, useRef, useState } from 'preact/hooks';
import { isSameJson, mainType } from '../json-schema.ts';
import { texts } from '../texts.ts';
import { type JsonControlProps, Labelled, useAbout } from './json-labelled.tsx';

export const TextInput = (props: JsonControlProps) => {
  const id = useId();
  const about = useAbout(id, props);
  const { value, change, isRequired } = props;
  const text = typeof value === 'string' ? value : '';
  const common = {
    id,
    ...about,
    // An empty text that is there may stay.
    required: isRequired && value !== '',
    value: text,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => change(event.currentTarget.value || undefined),
  };
  return (
    <Labelled props={props} id={id}>
      {text.includes('\n') ? <textarea {...common} rows={4} spellcheck={false} /> : <input {...common} type="text" autocomplete="off" />}
    </Labelled>
  );
};

export const NumberInput = (props: JsonControlProps) => {
  const id = useId();
  const { schema, value, change, isRequired } = props;
  const about = useAbout(id, props);
  const { minimum, maximum } = schema;
  const [typed, setTyped] = useState('');
  // The text stays as it is while someone types: 1.0 on the way to 1.05.
  const isTyped = typed !== '' && Number(typed) === value;
  return (
    <Labelled props={props} id={id}>
      <input
        id={id}
        type="number"
        step={mainType(schema) === 'integer' ? 1 : 'any'}
        {...(typeof minimum === 'number' ? { min: minimum } : {})}
        {...(typeof maximum === 'number' ? { max: maximum } : {})}
        required={isRequired}
        {...about}
        value={isTyped ? typed : typeof value === 'number' ? String(value) : ''}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          change(currentTarget.value === '' ? undefined : currentTarget.valueAsNumber);
        }}
      />
    </Labelled>
  );
};

const withHint = (props: JsonControlProps, hint: string): JsonControlProps => ({
  ...props,
  schema: { ...props.schema, description: `${props.schema.description ?? ''} ${hint}`.trim() },
});

/** A list of texts, one on each line. */
export const Lines = (props: JsonControlProps) => {
  const id = useId();
  const { value, change, isRequired } = props;
  const hinted = withHint(props, texts.onePerLine);
  const about = useAbout(id, hinted);
  const [typed, setTyped] = useState('');
  const linesIn = (text: string): readonly string[] =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  // Empty lines stay while someone types.
  const text = isSameJson(linesIn(typed), values) ? typed : values.join('\n');
  return (
    <Labelled props={hinted} id={id}>
      <textarea
        id={id}
        rows={3}
        spellcheck={false}
        required={isRequired}
        {...about}
        value={text}
        onInput={(event) => {
          const lines = linesIn(event.currentTarget.value);
          setTyped(event.currentTarget.value);
          change(lines.length === 0 ? undefined : lines);
        }}
      />
    </Labelled>
  );
};

/** A value that no other control expresses, as JSON. */
export const Raw = (props: JsonControlProps) => {
  const id = useId();
  const { value, change, isRequired } = props;
  const hinted = withHint(props, texts.asJson);
  const about = useAbout(id, hinted);
  const field = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState({ text: '', value: undefined as unknown });
  const text = isSameJson(typed.value, value) ? typed.text : value === undefined ? '' : JSON.stringify(value, null, 2);
  return (
    <Labelled props={hinted} id={id}>
      <textarea
        id={id}
        ref={field}
        rows={3}
        spellcheck={false}
        required={isRequired}
        {...about}
        value={text}
        onInput={({ currentTarget }) => {
          const read = jsonIn(currentTarget.value);
          currentTarget.setCustomValidity(read.isValid ? '' : texts.notJson(props.label));
          setTyped({ text: currentTarget.value, value: read.isValid ? read.value : value });
          if (read.isValid) change(read.value);
        }}
      />
    </Labelled>
  );
};

/** A text as JSON; undefined for an empty one. */
export const jsonIn = (text: string): { readonly isValid: boolean; readonly value?: unknown } => {
  if (text.trim() === '') return { isValid: true, value: undefined };
  try {
    return { isValid: true, value: JSON.parse(text) };
  } catch {
    return { isValid: false };
  }
};
