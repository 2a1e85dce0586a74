import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import {
  alternativesOf,
  controlOf,
  isObject,
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
import { Checks, Choice, Flag } from './json-choices.tsx';
import { JsonEntries, JsonMap } from './json-entries.tsx';
import type { JsonControlProps, JsonFieldProps } from './json-labelled.tsx';
import { JsonObjectField } from './json-object.tsx';
import { Lines, NumberInput, Raw, TextInput } from './json-texts.tsx';

const t = texts.data;

const CONTROLS: Readonly<Record<Exclude<JsonControl, 'constant'>, (props: JsonControlProps) => ComponentChildren>> = {
  // The modules of these import this one.
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
