import { useEffect, useState } from 'preact/hooks';
import { bodyIn, emptyValue, type FormObject, partOf } from '../entered.ts';
import { fieldProblem } from '../field-problem.ts';
import type { FormField } from '../schema.ts';
import { Field } from './field.tsx';
import { idOf } from './group.tsx';
import { Problem } from './problem.tsx';

/** One of the operations that a form carries out. */
export interface FormAction {
  readonly label: string;
  readonly style?: 'primary' | 'danger' | 'quiet';
  readonly act: (body: Readonly<Record<string, unknown>>) => unknown;
}

interface Props {
  /** Distinguishes the fields from those of other forms of the page. */
  readonly name: string;
  readonly fields: readonly FormField[];
  readonly labels?: Readonly<Record<string, string>>;
  /** The first one is carried out by the enter key. */
  readonly actions: readonly FormAction[];
}

/** A form of a few fields, emptied once its operation is done. An error is shown beside its field. Nothing is kept as a draft. */
export const ActionForm = ({ name, fields, labels = {}, actions }: Props) => {
  const [shown, setShown] = useState<FormObject>({});
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const found = error === undefined ? undefined : fieldProblem(fields, shown, error);
  const problem = found && { ...found, path: `${name}.${found.path}` };
  useEffect(() => (problem ? document.getElementById(idOf(problem.path))?.focus() : undefined), [error]);
  const carryOut = async ({ act }: FormAction): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await act(bodyIn(fields, shown));
      setShown({});
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <form
      class="entity"
      onSubmit={(event) => {
        event.preventDefault();
        const chosen = actions.find(({ label }) => label === event.submitter?.textContent) ?? actions[0];
        if (chosen) void carryOut(chosen);
      }}
    >
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          shown={partOf(shown, field) ?? emptyValue(field)}
          change={(value) => setShown({ ...shown, [field.name]: value })}
          path={`${name}.${field.name}`}
          problem={problem}
          {...(labels[field.name] === undefined ? {} : { label: labels[field.name] })}
        />
      ))}
      {error !== undefined && <Problem error={error} isOfField={problem !== undefined} />}
      <div class="actions">
        {actions.map(({ label, style }) => (
          <button key={label} type="submit" class={style} disabled={isBusy}>
            {label}
          </button>
        ))}
      </div>
    </form>
  );
};
