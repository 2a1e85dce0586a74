import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import {
  alternativesOf,
  controlOf,
  isObject,
  isSameJson,
  type JsonControl,
  type JsonSchema,
  MAX_DEPTH,
  mainType,
  matches,
  newValue,
  resolvedSchema,
} from '../json-schema.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';
import { JsonEntries, JsonMap } from './json-entries.tsx';
import { JsonObjectField } from './json-object.tsx';

const t = texts.data;

export interface JsonFieldProps {
  /** The name of the property; empty for the whole value. */
  readonly name: string;
  /** Default: the title of the schema, or the name as words. */
  readonly label?: string;
  readonly root: JsonSchema;
  readonly schema: unknown;
  /** Undefined for a property that is not there. */
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly isRequired: boolean;
  readonly depth: number;
  /** Controls at the end of the field. */
  readonly end?: ComponentChildren;
}

/** The props that all controls of a value have. */
export interface JsonControlProps extends Omit<JsonFieldProps, 'label' | 'schema'> {
  readonly label: string;
  readonly schema: JsonSchema;
}

const CONTROLS: Readonly<Record<Exclude<JsonControl, 'constant'>, (props: JsonControlProps) => ComponentChildren>> = {
  object: (props) => <JsonObjectField {...props} />,
  map: (props) => <JsonMap {...props} />,
  list: (props) => <JsonEntries {...props} />,
  lines: (props) => <Lines {...props} />,
  checks: (props) => <Checks {...props} />,
  choice: (props) => <Choice {...props} values={props.schema.enum ?? []} />,
  yesNo: (props) => <Choice {...props} values={[true, false]} />,
  flag: (props) => <Flag {...props} />,
  number: (props) => <NumberInput {...props} />,
  text: (props) => <TextInput {...props} />,
  raw: (props) => <Raw {...props} />,
};

/** A value of JSON, entered as its schema describes it. What the schema cannot express stays as it is. */
export const JsonField = (props: JsonFieldProps) => {
  const { root, value, name, depth } = props;
  const schema = resolvedSchema(root, props.schema, value);
  const title = typeof schema.title === 'string' ? schema.title : labelOf(name);
  const one = { ...props, schema, label: props.label ?? title };
  if (depth > MAX_DEPTH) return <Raw {...one} />;
  const alternatives = alternativesOf(root, schema);
  if (alternatives.length > 1) return <Alternatives {...one} alternatives={alternatives} />;
  const [only] = alternatives;
  if (only) return <JsonField {...props} schema={{ ...schema, oneOf: undefined, anyOf: undefined, allOf: [only] }} />;
  const control = controlOf(root, schema, value);
  // Nobody has to enter the only possible value.
  return control === 'constant' ? null : CONTROLS[control](one);
};

const descriptionIn = ({ description, default: standard }: JsonSchema): string =>
  [typeof description === 'string' ? description : '', standard === undefined ? '' : t.default(JSON.stringify(standard))]
    .filter(Boolean)
    .join(' ');

interface WrapProps {
  readonly props: JsonControlProps;
  readonly id: string;
  readonly children: ComponentChildren;
}

/** A control with its label and description. */
const Labelled = ({ props: { label, schema, isRequired, end }, id, children }: WrapProps) => (
  <div class="field">
    <label for={id}>
      {label} {isRequired && <span class="muted small">({texts.required})</span>}
    </label>
    {children}
    <Hint id={id} schema={schema} />
    {end}
  </div>
);

export const Hint = ({ id, schema }: { readonly id: string; readonly schema: JsonSchema }) => {
  const hint = descriptionIn(schema);
  return hint === '' ? null : (
    <p id={`${id}-hint`} class="muted small">
      {hint}
    </p>
  );
};

export const hintOf = (id: string, schema: JsonSchema): string | undefined => (descriptionIn(schema) === '' ? undefined : `${id}-hint`);

const TextInput = (props: JsonControlProps) => {
  const id = useId();
  const { schema, value, change, isRequired } = props;
  const text = typeof value === 'string' ? value : '';
  const common = {
    id,
    'aria-describedby': hintOf(id, schema),
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

const NumberInput = (props: JsonControlProps) => {
  const id = useId();
  const { schema, value, change, isRequired } = props;
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
        aria-describedby={hintOf(id, schema)}
        value={isTyped ? typed : typeof value === 'number' ? String(value) : ''}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          change(currentTarget.value === '' ? undefined : currentTarget.valueAsNumber);
        }}
      />
    </Labelled>
  );
};

const Choice = (props: JsonControlProps & { readonly values: readonly unknown[] }) => {
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
const Flag = (props: JsonControlProps) => {
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
const Checks = (props: JsonControlProps) => {
  const id = useId();
  const { root, schema, value, change, label, isRequired, end } = props;
  const choices = resolvedSchema(root, schema.items, undefined).enum ?? [];
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const first = useRef<HTMLInputElement>(null);
  const isMissing = isRequired && chosen.length === 0;
  useEffect(() => first.current?.setCustomValidity(isMissing ? t.chooseSome : ''), [isMissing]);
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

/** A list of texts, one on each line. */
const Lines = (props: JsonControlProps) => {
  const id = useId();
  const { schema, value, change, isRequired } = props;
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
    <Labelled props={{ ...props, schema: { ...schema, description: `${schema.description ?? ''} ${texts.onePerLine}`.trim() } }} id={id}>
      <textarea
        id={id}
        rows={3}
        spellcheck={false}
        required={isRequired}
        aria-describedby={`${id}-hint`}
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
const Raw = (props: JsonControlProps) => {
  const id = useId();
  const { schema, value, change, isRequired } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState({ text: '', value: undefined as unknown });
  const text = isSameJson(typed.value, value) ? typed.text : value === undefined ? '' : JSON.stringify(value, null, 2);
  return (
    <Labelled props={{ ...props, schema: { ...schema, description: `${schema.description ?? ''} ${texts.asJson}`.trim() } }} id={id}>
      <textarea
        id={id}
        ref={field}
        rows={3}
        spellcheck={false}
        required={isRequired}
        aria-describedby={`${id}-hint`}
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

const jsonIn = (text: string): { readonly isValid: boolean; readonly value?: unknown } => {
  if (text.trim() === '') return { isValid: true, value: undefined };
  try {
    return { isValid: true, value: JSON.parse(text) };
  } catch {
    return { isValid: false };
  }
};

/** A value with several possible forms: one is chosen, and entered below. */
const Alternatives = (props: JsonControlProps & { readonly alternatives: readonly JsonSchema[] }) => {
  const id = useId();
  const { root, schema, value, change, label, alternatives, depth, end } = props;
  const fitting = alternatives.findIndex((each) => matches(root, each, value) !== false);
  const [chosen, setChosen] = useState(Math.max(0, fitting));
  const at = value !== undefined && matches(root, alternatives[chosen], value) === false && fitting !== -1 ? fitting : chosen;
  const choose = (next: number): void => {
    setChosen(next);
    const isFitting = value !== undefined && matches(root, alternatives[next], value) !== false;
    if (!isFitting && (value !== undefined || props.isRequired)) change(newValue(root, alternatives[next]));
  };
  const { oneOf: _one, anyOf: _any, ...common } = schema;
  return (
    <fieldset>
      <legend>{label || t.alternative}</legend>
      <div class="field">
        <label for={id}>{t.alternative}</label>
        <select id={id} value={String(at)} onChange={(event) => choose(Number(event.currentTarget.value))}>
          {alternatives.map((each, index) => (
            <option key={index} value={String(index)}>
              {alternativeName(root, each, index)}
            </option>
          ))}
        </select>
      </div>
      <JsonField key={at} {...props} end={undefined} schema={{ ...common, allOf: [alternatives[at] ?? {}] }} depth={depth + 1} />
      {end}
    </fieldset>
  );
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: t.text,
  array: t.list,
  object: t.object,
  number: t.number,
  integer: t.number,
  boolean: t.yesNo,
};

const alternativeName = (root: JsonSchema, alternative: JsonSchema, index: number): string => {
  const schema = resolvedSchema(root, alternative, undefined);
  if (typeof schema.title === 'string') return schema.title;
  if (typeof alternative.$ref === 'string') return labelOf(alternative.$ref.slice(alternative.$ref.lastIndexOf('/') + 1));
  const constants = Object.values(isObject(schema.properties) ? schema.properties : {}).flatMap((part) =>
    isObject(part) && Object.hasOwn(part, 'const') ? [String(part['const'])] : [],
  );
  return constants[0] ?? TYPE_NAMES[mainType(schema) ?? ''] ?? t.alternativeAt(index + 1);
};
