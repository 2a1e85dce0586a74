import { useEffect, useState } from 'preact/hooks';
import { previewing } from '../../../client/index.ts';
import { observable, useObservable } from '../observable.ts';
import { client } from '../session.ts';
import { texts } from '../texts.ts';
import type { Undo } from '../undo.ts';
import { labelOf } from '../words.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { CopyButton } from './copy-button.tsx';

/** A message about the last action, shown on the next page. */
export interface Flash {
  readonly text: string;
  /** The address of the page that shows it, as `hrefOf` returns it. */
  readonly at: string;
  /** Parts of the response that cannot be read again, such as a token. */
  readonly secrets?: Readonly<Record<string, unknown>>;
  /** The undo of the action; `none` if there is none, which the message says. */
  readonly undo?: Undo | 'none';
}

export const flash = observable<Flash | undefined>(undefined);

/** The number of changes that were undone here: pages are opened again after each. */
export const undoCount = observable(0);

export const FlashNotice = ({ place }: { readonly place: string }) => {
  const current = useObservable(flash);
  useEffect(() => () => (flash.get()?.at === place ? flash.set(undefined) : undefined), [place]);
  if (current?.at !== place) return null;
  const { undo } = current;
  return (
    <div class="notice good">
      <div role="status">
        <p>{current.text}</p>
        {current.secrets && (
          <>
            <p>{texts.shownOnce}</p>
            <pre>{JSON.stringify(current.secrets, null, 2)}</pre>
            {Object.entries(current.secrets).map(
              ([name, secret]) => typeof secret === 'string' && <CopyButton key={name} text={secret} about={labelOf(name)} />,
            )}
          </>
        )}
        {undo === 'none' && <p class="muted small">{texts.undo.none}</p>}
      </div>
      {undo !== undefined && undo !== 'none' && <UndoButton change={current.text} undo={undo} place={place} />}
    </div>
  );
};

/** Takes the last change back, after a preview of what that does. */
const UndoButton = ({ change, undo, place }: { readonly change: string; readonly undo: Undo; readonly place: string }) => {
  const [isAsking, setAsking] = useState(false);
  const { operations, ifRevision, text } = undo;
  const body = { operations: [...operations], ...(ifRevision === undefined ? {} : { ifRevision }) };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        {texts.undo.action}
      </button>
      {isAsking && (
        <ChangeDialog
          title={texts.undo.title(change)}
          {...(text === undefined ? {} : { text })}
          action={texts.undo.action}
          name={`undo ${place}`}
          preview={(options) => previewing(client).batch.run({ body }, options)}
          carryOut={async (options) => {
            await client.batch.run({ body }, options);
            flash.set({ text: texts.undo.done, at: place });
            undoCount.set(undoCount.get() + 1);
          }}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
};
