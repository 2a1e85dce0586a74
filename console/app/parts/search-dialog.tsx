import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { commandsOf, type Finding, findEverywhere, MIN_LENGTH, withWords } from '../everywhere.ts';
import { useLatest } from '../references.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { Combobox } from './combobox.tsx';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';

const t = texts.everywhere;

/** The button of the search everywhere, which Ctrl+K opens, too. */
export const SearchEverywhere = ({ session }: { readonly session: Session }) => {
  // Each dialog has a number: the browser reports that one was closed only after a moment, in which the next one may be opened.
  const last = useRef(0);
  const [opened, setOpened] = useState(0);
  const open = () => setOpened(++last.current);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key.toLowerCase() !== 'k' || ctrlKey === metaKey || altKey || shiftKey) return;
      event.preventDefault();
      // A dialog that is open keeps its question.
      if (!document.querySelector('dialog[open]')) open();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button
        type="button"
        class="quiet search"
        data-keys={t.keys}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K"
        title={t.shortcut}
        onClick={open}
      >
        <Icon name="search" />
        <span>{t.button}</span>
      </button>
      {opened > 0 && <SearchDialog key={opened} session={session} close={() => setOpened((now) => (now === opened ? 0 : now))} />}
    </>
  );
};

const SearchDialog = ({ session, close }: { readonly session: Session; readonly close: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [entered, setEntered] = useState('');
  const text = entered.trim();
  const entities = useLatest(text.length >= MIN_LENGTH ? text : undefined, (signal) => findEverywhere(session, text, signal));
  const isSearching = text.length >= MIN_LENGTH && !entities;
  const options = [...withWords(commandsOf(session), text), ...(entities?.findings ?? [])];
  const choose = ({ act }: Finding): void => {
    dialog.current?.close();
    act();
  };
  return (
    <Dialog element={dialog} title={t.title} isWide closed={close}>
      <div class="everywhere">
        <label for="everywhere" class="muted small">
          {t.hint}
        </label>
        <Combobox
          id="everywhere"
          listLabel={t.results}
          text={entered}
          setText={setEntered}
          options={options}
          choose={choose}
          activatesFirst
          saysNumber={!isSearching}
          staysOpen
        />
        <p class="muted small" role="status">
          {isSearching && t.searching}
          {!isSearching && options.length === 0 && texts.pickers.found(0)}
          {entities?.isPartial && t.partial}
        </p>
        <div class="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            {texts.cancel}
          </button>
        </div>
      </div>
    </Dialog>
  );
};
