import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FieldProblem } from '../field-problem.ts';

export const idOf = (path: string): string => `field-${path}`;

interface At {
  /** The names and positions that lead to the field, with dots between them. */
  readonly path: string;
  readonly problem: FieldProblem | undefined;
}

/** What is wrong with a field, beside it. The summary below the form is announced; this is read with the field. */
export const ProblemOf = ({ path, problem }: At) =>
  problem?.path === path ? (
    <p id={`${idOf(path)}-problem`} class="wrong">
      {problem.text}
    </p>
  ) : null;

interface GroupProps extends At {
  readonly legend: string;
  readonly description?: string | undefined;
  readonly children: ComponentChildren;
}

/** Fields that belong together. */
export const Group = ({ path, problem, legend, description, children }: GroupProps) => {
  const id = idOf(path);
  const describedBy = [problem?.path === path && `${id}-problem`, description && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <fieldset id={id} tabIndex={-1} aria-describedby={describedBy || undefined}>
      <legend>{legend}</legend>
      <ProblemOf path={path} problem={problem} />
      {description && (
        <p id={`${id}-hint`} class="muted small">
          {description}
        </p>
      )}
      {children}
    </fieldset>
  );
};

interface StepProps {
  readonly id?: string;
  readonly label: string;
  readonly about: string;
  readonly act: () => void;
}

/** A button that adds or removes something. */
export const Step = ({ id, label, about, act }: StepProps) => (
  <button id={id} type="button" class="step" aria-label={`${label}: ${about}`} onClick={act}>
    {label}
  </button>
);

/** What follows the addition or removal of something: the focus goes on, and it is announced. */
export const useStep = () => {
  const [{ count, focus, said }, setStep] = useState({ count: 0, focus: '', said: '' });
  useEffect(() => {
    const target = document.getElementById(focus);
    const input = target?.matches('fieldset') ? target.querySelector<HTMLElement>('input, select, textarea, button') : target;
    input?.focus();
  }, [count]);
  const status = (
    <p role="status" class="unseen">
      {said && <span key={count}>{said}</span>}
    </p>
  );
  return { status, step: (at: string, what: string) => setStep({ count: count + 1, focus: at, said: what }) };
};
