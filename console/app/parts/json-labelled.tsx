/** What all controls of a value of JSON have: their props, a label and a description. */
import type { ComponentChildren } from 'preact';
import type { JsonSchema } from '../json-schema.ts';
import { texts } from '../texts.ts';

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

const descriptionIn = ({ description, default: standard }: JsonSchema): string =>
  [typeof description === 'string' ? description : '', standard === undefined ? '' : texts.data.default(JSON.stringify(standard))]
    .filter(Boolean)
    .join(' ');

interface WrapProps {
  readonly props: JsonControlProps;
  readonly id: string;
  readonly children: ComponentChildren;
}

/** A control with its label and description. */
export const Labelled = ({ props: { label, schema, isRequired, end }, id, children }: WrapProps) => (
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
