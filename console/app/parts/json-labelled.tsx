/** The parts of all controls of a value of JSON: their props, a label, a description, and the reason why a value was refused. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FieldProblem } from '../field-problem.ts';
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
  /** The names and positions that lead to the value, with dots between them; empty for the whole value. */
  readonly path: string;
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

/** The path of a value in an object or a list. */
export const within = (path: string, name: string | number): string => (path === '' ? String(name) : `${path}.${name}`);

/** The problem of the whole value, which may be about one in it. */
export const JsonProblem = createContext<FieldProblem | undefined>(undefined);

const useProblem = (path: string): string | undefined => {
  const problem = useContext(JsonProblem);
  // Beside the value, its path need not be said.
  return problem?.inside === path && path !== '' ? problem.text.replace(/^\S+: /, '') : undefined;
};

/** The attributes by which a control says its description, and that its value was refused. */
export const useAbout = (id: string, { schema, path }: Pick<JsonControlProps, 'schema' | 'path'>) => {
  const isInvalid = useProblem(path) !== undefined;
  const described = [isInvalid && `${id}-problem`, descriptionIn(schema) !== '' && `${id}-hint`].filter(Boolean).join(' ');
  return { 'aria-describedby': described || undefined, ...(isInvalid ? { 'aria-invalid': true as const } : {}) };
};

interface AboutProps extends Pick<JsonControlProps, 'schema' | 'path'> {
  readonly id: string;
}

/** Why a value was refused, and the description of it. */
export const About = ({ id, schema, path }: AboutProps) => {
  const problem = useProblem(path);
  const hint = descriptionIn(schema);
  return (
    <>
      {problem !== undefined && (
        <p id={`${id}-problem`} class="wrong">
          {problem}
        </p>
      )}
      {hint !== '' && (
        <p id={`${id}-hint`} class="muted small">
          {hint}
        </p>
      )}
    </>
  );
};

interface LabelledProps {
  readonly props: JsonControlProps;
  readonly id: string;
  readonly children: ComponentChildren;
}

/** A control with its label and description. */
export const Labelled = ({ props: { label, schema, path, isRequired, end }, id, children }: LabelledProps) => (
  <div class="field">
    <label for={id}>
      {label} {isRequired && <span class="muted small">({texts.required})</span>}
    </label>
    {children}
    <About id={id} schema={schema} path={path} />
    {end}
  </div>
);
