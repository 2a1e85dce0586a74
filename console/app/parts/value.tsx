import { kindOf } from '../kinds.ts';
import { texts } from '../texts.ts';
import { fullDate, isDate, relativeDate, textOf } from '../words.ts';
import { ToEntity } from './entity-link.tsx';

const MAX_CHIPS = 3;

/** A value in a table or list: dates relative, lists as chips. Everything is text, whatever characters it has. */
export const Value = ({ value, isWhole = false }: { readonly value: unknown; readonly isWhole?: boolean }) => {
  if (isDate(value))
    return (
      <time dateTime={value} title={fullDate(value)}>
        {isWhole ? `${fullDate(value)} (${relativeDate(value)})` : relativeDate(value)}
      </time>
    );
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')) {
    const shown = isWhole ? value : value.slice(0, MAX_CHIPS);
    return (
      <span class="chips">
        {shown.map((each) => (
          <span class="chip" key={each}>
            {each}
          </span>
        ))}
        {shown.length < value.length && <span class="muted">{texts.more(value.length - shown.length)}</span>}
      </span>
    );
  }
  if (typeof value === 'boolean') return <span class={value ? 'flag on' : 'flag'}>{textOf(value)}</span>;
  if (isWhole && typeof value === 'object' && value !== null) {
    const { entity, id, name } = value as { readonly entity?: unknown; readonly id?: unknown; readonly name?: unknown }; // perhaps a reference
    if (typeof entity === 'string' && typeof id === 'string' && kindOf(groupOf(entity)))
      return (
        <ToEntity group={groupOf(entity)} id={id}>
          {typeof name === 'string' ? name : id}
        </ToEntity>
      );
    if (typeof name === 'string' && typeof id === 'string') return <span>{name}</span>;
    return <pre>{JSON.stringify(value, null, 2)}</pre>;
  }
  return <span class={value === null || value === undefined ? 'muted' : undefined}>{textOf(value)}</span>;
};

/** The group of a reference, whose `entity` is like `auth-policies`. */
const groupOf = (entity: string): string => entity.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
