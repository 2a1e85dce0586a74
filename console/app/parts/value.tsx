import type { EntityReference } from '../../../client/index.ts';
import type { Shape } from '../../descriptions.ts';
import { texts } from '../texts.ts';
import { fullDate, isDate, relativeDate, textOf } from '../words.ts';
import { ReferenceLink } from './entity-link.tsx';

const MAX_CHIPS = 3;
/** Longer JSON is cut off in tables; the page of the entity shows it completely. */
const MAX_JSON = 120;

interface Props {
  readonly value: unknown;
  /**
   * The shape of the field in the description of the API, `plain` if it has none. Default: texts in the format of a date are shown as dates.
   * The fields of an object do not make it a reference.
   */
  readonly shape?: Shape | 'plain';
  /** True to show the value unabbreviated, as on the page of the entity. */
  readonly isFull?: boolean;
}

/** A value in a table or list: dates relative, references as links, lists as chips. Everything is text, whatever characters it has. */
export const Value = ({ value, shape, isFull = false }: Props) => {
  if (value === null || value === undefined) return <span class="muted">{textOf(value)}</span>;
  if (shape === 'reference' && typeof value === 'object') return <ReferenceLink reference={value as EntityReference} />; // by the description of the API
  if (shape === 'references') return <References references={value as readonly EntityReference[]} />; // likewise
  if (shape !== 'plain' && isDate(value)) return <Time date={value} isFull={isFull} />;
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))
    return <Chips values={value} isFull={isFull} />;
  if (typeof value === 'boolean') return <span class={value ? 'flag on' : 'flag'}>{textOf(value)}</span>;
  if (typeof value !== 'object') return <span>{textOf(value)}</span>;
  return isFull ? <pre>{JSON.stringify(value, null, 2)}</pre> : <span>{shortened(textOf(value))}</span>;
};

const Time = ({ date, isFull }: { readonly date: string; readonly isFull: boolean }) => (
  <time dateTime={date} title={fullDate(date)}>
    {isFull ? `${fullDate(date)} (${relativeDate(date)})` : relativeDate(date)}
  </time>
);

const References = ({ references }: { readonly references: readonly EntityReference[] }) => (
  <span class="chips">
    {references.map((reference) => (
      <span class="chip" key={reference.id}>
        <ReferenceLink reference={reference} />
      </span>
    ))}
  </span>
);

const Chips = ({ values, isFull }: { readonly values: readonly string[]; readonly isFull: boolean }) => {
  const shown = isFull ? values : values.slice(0, MAX_CHIPS);
  return (
    <span class="chips">
      {shown.map((each) => (
        <span class="chip" key={each}>
          {each}
        </span>
      ))}
      {shown.length < values.length && <span class="muted">{texts.more(values.length - shown.length)}</span>}
    </span>
  );
};

const shortened = (json: string): string => (json.length > MAX_JSON ? `${json.slice(0, MAX_JSON)}…` : json);
