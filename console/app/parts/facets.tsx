import { addressOf, chosenIn, facetsOf } from '../facets.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';

interface Props {
  readonly session: Session;
  readonly group: string;
  /** The fields that the list can be filtered by. */
  readonly filterable: readonly string[];
  /** The chosen values, as in the address. */
  readonly is: string;
  readonly choose: (is: string) => void;
}

/** A choice for each field with few values. */
export const Facets = ({ session, group, filterable, is, choose }: Props) => {
  const facets = facetsOf(session, group, filterable);
  const chosen = chosenIn(is);
  if (facets.length === 0) return null;
  const pick = (name: string, value: string): void => {
    const others = [...chosen].filter(([each]) => each !== name);
    choose(addressOf(new Map(value === '' ? others : [...others, [name, value]])));
  };
  return (
    <fieldset class="facets">
      <legend class="unseen">{texts.facets.title}</legend>
      {facets.map(({ field, filterName, values }) => (
        <label key={field}>
          {labelOf(field)}
          <select value={chosen.get(filterName) ?? ''} onChange={(event) => pick(filterName, event.currentTarget.value)}>
            <option value="">{texts.facets.any}</option>
            {values.map((value) => (
              <option key={value} value={value}>
                {value === 'true' ? texts.yes : value === 'false' ? texts.no : value}
              </option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  );
};
