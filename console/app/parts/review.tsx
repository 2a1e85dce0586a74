import { useEffect, useRef, useState } from 'preact/hooks';
import type { Choice, Choices, Difference } from '../merge.ts';
import { useNames } from '../references.ts';
import { texts } from '../texts.ts';
import { Table } from './table.tsx';

const t = texts.review;

interface Props {
  readonly differences: readonly Difference[];
  /** Called with a choice for each field that both sides have changed; undefined if there is none. */
  readonly settle?: (choices: Choices) => void;
}

/** The changes that somebody else has made since an edit began, field by field, and the choice where both have changed the same. */
export const Review = ({ differences, settle }: Props) => {
  const section = useRef<HTMLElement>(null);
  const [choices, setChoices] = useState<Choices>({});
  useEffect(() => section.current?.focus(), []);
  const choose = (path: string, choice: Choice): void => setChoices({ ...choices, [path]: choice });
  return (
    <section ref={section} class="notice warn review" aria-labelledby="review-title" tabIndex={-1}>
      <h2 id="review-title">{t.title}</h2>
      <p>{settle ? t.choose : t.merged}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          settle?.(choices);
        }}
      >
        <Table columns={[t.field, t.base, t.theirs, t.mine]}>
          <tbody>
            {differences.map((difference) => (
              <DifferenceRow
                key={difference.path}
                difference={difference}
                choice={choices[difference.path]}
                choose={(choice) => choose(difference.path, choice)}
              />
            ))}
          </tbody>
        </Table>
        {settle && (
          <button type="submit" class="primary">
            {t.proceed}
          </button>
        )}
      </form>
    </section>
  );
};

interface RowProps {
  readonly difference: Difference;
  readonly choice: Choice | undefined;
  readonly choose: (choice: Choice) => void;
}

const DifferenceRow = ({ difference: { path, label, target, base, theirs, mine, both }, choice, choose }: RowProps) => {
  const shown = (text: string) => (target === undefined ? text : <Names group={target} ids={text} />);
  const option = (of: Choice, text: string) => (
    <label class="option">
      <input type="radio" name={`choice ${path}`} required checked={choice === of} onChange={() => choose(of)} />
      {{ theirs: t.theirs, mine: t.mine, both: t.both }[of]}
      <span class="text">{shown(text)}</span>
    </label>
  );
  return (
    <tr>
      <th scope="row">{label}</th>
      <td data-label={t.base} class="text">
        {shown(base)}
      </td>
      <td data-label={t.theirs} class="text">
        {mine === undefined ? shown(theirs) : option('theirs', theirs)}
      </td>
      <td data-label={t.mine} class="text">
        {mine === undefined ? t.kept : option('mine', mine)}
        {both !== undefined && option('both', both)}
      </td>
    </tr>
  );
};

/** The names of entities whose ids are given, one a line. An id may have the `@` of a role. */
const Names = ({ group, ids }: { readonly group: string; readonly ids: string }) => {
  const lines = ids.split('\n');
  const bare = (line: string): string => line.replace(/^@/, '');
  const nameOf = useNames(group, lines.filter((line) => !line.startsWith('#')).map(bare));
  return <>{lines.map((line) => nameOf(bare(line)) ?? line).join('\n')}</>;
};
