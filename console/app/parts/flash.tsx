import { useEffect } from 'preact/hooks';
import { observable, useObservable } from '../observable.ts';
import { texts } from '../texts.ts';

/** What has just been done, shown once on the page that follows. */
export interface Flash {
  readonly text: string;
  /** The address of the page that shows it, as `hrefOf` returns it. */
  readonly at: string;
  /** A part of an answer that is not shown again, such as a token. */
  readonly secrets?: Readonly<Record<string, unknown>>;
}

export const flash = observable<Flash | undefined>(undefined);

export const FlashNotice = ({ place }: { readonly place: string }) => {
  const current = useObservable(flash);
  useEffect(() => () => (flash.get()?.at === place ? flash.set(undefined) : undefined), [place]);
  if (current?.at !== place) return null;
  return (
    <div class="notice good" role="status">
      <p>{current.text}</p>
      {current.secrets && (
        <>
          <p>{texts.shownOnce}</p>
          <pre>{JSON.stringify(current.secrets, null, 2)}</pre>
        </>
      )}
    </div>
  );
};
