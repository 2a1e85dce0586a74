import { useLayoutEffect, useState } from 'preact/hooks';

interface Props {
  readonly id?: string;
  readonly label: string;
  readonly about: string;
  readonly act: () => void;
}

/** A button that adds or removes an entry of a field. */
export const EntryButton = ({ id, label, about, act }: Props) => (
  <button id={id} type="button" class="entry-button" aria-label={`${label}: ${about}`} onClick={act}>
    {label}
  </button>
);

/** Moves the focus after an addition or removal, and announces the change. */
export const useEntryFocus = () => {
  const [{ count, focus, announcement }, setMove] = useState({ count: 0, focus: '', announcement: '' });
  useLayoutEffect(() => {
    const target = document.getElementById(focus);
    const input = target?.matches('fieldset') ? target.querySelector<HTMLElement>('input, select, textarea, button') : target;
    input?.focus();
  }, [count]);
  const status = (
    <p role="status" class="unseen">
      {announcement && <span key={count}>{announcement}</span>}
    </p>
  );
  return { status, focusOn: (id: string, message: string) => setMove({ count: count + 1, focus: id, announcement: message }) };
};
