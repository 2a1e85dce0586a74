import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FieldProblem } from '../field-problem.ts';

export const idOf = (path: string): string => `field-${path}`;

interface FieldPosition {
  /** The path of the field: names and positions, separated by dots. */
  readonly path: string;
  readonly problem: FieldProblem | undefined;
}

/** The problem beside its field. Screen readers announce the summary below the form, and read this text with the field. */
export const ProblemOf = ({ path, problem }: FieldPosition) =>
  problem?.path === path ? (
    <p id={`${idOf(path)}-problem`} class="wrong">
      {problem.text}
    </p>
  ) : null;

interface GroupProps extends FieldPosition {
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

/** Moves the focus after an addition or removal, and announces the change. */
export const useStep = () => {
  const [{ count, focus, announcement }, setStep] = useState({ count: 0, focus: '', announcement: '' });
  useEffect(() => {
    const target = document.getElementById(focus);
    const input = target?.matches('fieldset') ? target.querySelector<HTMLElement>('input, select, textarea, button') : target;
    input?.focus();
  }, [count]);
  const status = (
    <p role="status" class="unseen">
      {announcement && <span key={count}>{announcement}</span>}
    </p>
  );
  return { status, step: (id: string, message: string) => setStep({ count: count + 1, focus: id, announcement: message }) };
};
