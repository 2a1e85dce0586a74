import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { bodyIn, partOf } from '../entered.ts';
import { type FieldProblem, fieldProblem } from '../field-problem.ts';
import { type FormState, useFormState } from '../form-state.ts';
import { Field } from '../parts/field.tsx';
import { FormValues } from '../parts/form-values.ts';
import { idOf } from '../parts/group.tsx';
import { Problem } from '../parts/problem.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { FormField } from '../schema.ts';
import { texts } from '../texts.ts';
import type { WayName } from './ways.ts';

const t = texts.setup;

/** A part of a setup: fields with an explanation. */
export interface Step {
  readonly title: string;
  readonly hint: string;
  readonly fields?: readonly FormField[];
  /** Shown below the fields. */
  readonly content?: ComponentChildren;
  /** Checks the entries before the next step. @throws FieldInvalid, ApiError */
  readonly check?: () => void | Promise<void>;
}

/** The entries of a setup, and the error of the last step. */
export interface Setup {
  readonly name: WayName;
  readonly state: FormState;
  readonly error: unknown;
  readonly setError: (error: unknown) => void;
  /** Shows an error that a dialog got, if it is about a field. @returns false if it is about none */
  readonly refuse: (error: unknown) => boolean;
  /** The entries as a request body. @throws FieldInvalid */
  readonly body: () => Record<string, unknown>;
}

/** The entries of a setup, kept as a draft in this tab. */
export const useSetup = (name: WayName, fields: readonly FormField[]): Setup => {
  const state = useFormState(`setup/${name}`, [{ label: '', fields }], undefined);
  const [error, setError] = useState<unknown>();
  const refuse = (failure: unknown): boolean => {
    if (!fieldProblem(fields, state.shown, failure)) return false;
    setError(failure);
    return true;
  };
  return { name, state, error, setError, refuse, body: () => bodyIn(fields, state.shown) };
};

interface Props {
  readonly setup: Setup;
  readonly steps: readonly Step[];
  /** The position of the step in the address. */
  readonly at: string | undefined;
  /** The label of the button of the last step. */
  readonly action: string;
  readonly finish: () => void | Promise<void>;
}

/** The steps of a setup, one at a time. The step is part of the address, so that the browser's buttons move between steps. */
export const Steps = ({ setup, steps, at: given, action, finish }: Props) => {
  const { name, state, error, setError } = setup;
  const at = Math.max(0, Math.min(steps.length, Number(given) || 1) - 1);
  const step = steps[at];
  const [isBusy, setBusy] = useState(false);
  const fields = steps.flatMap((each) => each.fields ?? []);
  const problem = error === undefined ? undefined : fieldProblem(fields, state.shown, error);
  const show = (next: number): void => goTo(hrefOf(['setup', name], { step: next === 0 ? undefined : String(next + 1) }));
  const heading = useRef<HTMLHeadingElement>(null);
  const shownAt = useRef(at);
  // Screen readers read the step that is reached.
  useLayoutEffect(() => {
    if (shownAt.current !== at) heading.current?.focus();
    shownAt.current = at;
  }, [at]);
  useShownProblem(problem, steps, at, show);
  if (!step) return null;
  const proceed = async (): Promise<void> => {
    setError(undefined);
    setBusy(true);
    try {
      await step.check?.();
      if (at < steps.length - 1) show(at + 1);
      else await finish();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <>
      <Progress steps={steps} at={at} />
      <form
        class="entity"
        onSubmit={(event) => {
          event.preventDefault();
          void proceed();
        }}
      >
        <div>
          <h2 ref={heading} tabIndex={-1}>
            {step.title}
          </h2>
          <p class="muted">{step.hint}</p>
        </div>
        {state.isRestored && at === 0 && <Restored state={state} />}
        <FormValues.Provider value={state.shown}>
          {step.fields?.map((field) => (
            <Field
              key={field.name}
              field={field}
              shown={partOf(state.shown, field)}
              change={(value) => {
                setError(undefined);
                state.enter(field.name, value);
              }}
              path={field.name}
              problem={problem}
              {...labelled(field.name)}
            />
          ))}
        </FormValues.Provider>
        {step.content}
        {error !== undefined && <Problem error={error} isOfField={problem !== undefined} />}
        <div class="actions">
          {at > 0 && (
            <button type="button" onClick={() => show(at - 1)}>
              {t.back}
            </button>
          )}
          <button type="submit" class="primary" disabled={isBusy}>
            {at < steps.length - 1 ? t.next : action}
          </button>
        </div>
      </form>
    </>
  );
};

/** Goes to the field of a problem, in whichever step it is. */
const useShownProblem = (problem: FieldProblem | undefined, steps: readonly Step[], at: number, show: (step: number) => void): void => {
  const path = problem?.path;
  const root = path?.split('.', 1)[0];
  const place = steps.findIndex(({ fields = [] }) => fields.some(({ name }) => name === root));
  useLayoutEffect(() => {
    if (path === undefined || place === -1) return;
    if (place !== at) show(place);
    else document.getElementById(idOf(path))?.focus();
  }, [path, problem?.text, at]);
};

/** The label of a field whose name does not say enough to newcomers. */
const labelled = (name: string): { readonly label?: string } => {
  const label = t.labels[name];
  return label === undefined ? {} : { label };
};

const Progress = ({ steps, at }: { readonly steps: readonly Step[]; readonly at: number }) => (
  <ol class="progress" aria-label={t.steps}>
    {steps.map(({ title }, index) => (
      <li key={title} class={index < at ? 'done' : undefined} aria-current={index === at ? 'step' : undefined}>
        {title}
      </li>
    ))}
  </ol>
);

const Restored = ({ state }: { readonly state: FormState }) => (
  <p class="notice">
    {texts.draftKept}{' '}
    <button type="button" class="quiet" onClick={state.startOver}>
      {texts.startOver}
    </button>
  </p>
);
