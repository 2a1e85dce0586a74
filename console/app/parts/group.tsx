import type { ComponentChildren } from 'preact';
import type { FieldProblem } from '../field-problem.ts';
import { GuideLink } from './guide.tsx';

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
  /** The name of the field, whose guide is linked. */
  readonly about?: string;
  readonly children: ComponentChildren;
}

/** Fields that belong together. */
export const Group = ({ path, problem, legend, description, about, children }: GroupProps) => {
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
      {about !== undefined && <GuideLink field={about} />}
      {children}
    </fieldset>
  );
};
