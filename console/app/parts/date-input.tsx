import { useState } from 'preact/hooks';
import { toLocalTime, toUtc } from '../local-time.ts';
import { texts } from '../texts.ts';
import { isDate, relativeDate } from '../words.ts';
import type { InputProps } from './input.tsx';

/** A date and a time: shown in local time, kept in UTC. */
export const DateInput = ({ shown, change, id, describedBy, isInvalid, isRequired }: InputProps) => {
  const date = typeof shown === 'string' ? shown : '';
  const [entered, setEntered] = useState({ local: '', date: '' });
  // The text stays as it is while someone types: another form of the same time would move the caret.
  const local = entered.date === date ? entered.local : toLocalTime(date);
  return (
    <>
      <input
        id={id}
        type="datetime-local"
        step={1}
        max="9999-12-31T23:59:59"
        required={isRequired}
        aria-describedby={[describedBy, `${id}-utc`].filter(Boolean).join(' ')}
        {...(isInvalid ? { 'aria-invalid': true } : {})}
        value={local}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setEntered({ local: value, date: toUtc(value) });
          change(toUtc(value));
        }}
      />
      <p id={`${id}-utc`} class="muted small">
        {isDate(date) && texts.dates.utc(date.slice(0, 19).replace('T', ' '), relativeDate(date))}
      </p>
    </>
  );
};
