import type { ComponentChildren, RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { useObservable } from '../observable.ts';
import { sessionEnded } from '../session.ts';

interface Props {
  /** Its method `close` closes the dialog. */
  readonly element: RefObject<HTMLDialogElement | null>;
  readonly title: string;
  readonly isWide?: boolean;
  /** Called after the dialog has been closed. */
  readonly closed: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. When the session ends it closes, so that it does not cover the button for the next login. */
export const Dialog = ({ element, title, isWide = false, closed, children }: Props) => {
  const hasEnded = useObservable(sessionEnded);
  useEffect(() => element.current?.showModal(), []);
  useEffect(() => (hasEnded ? element.current?.close() : undefined), [hasEnded]);
  return (
    <dialog ref={element} class={isWide ? 'wide' : undefined} aria-labelledby="dialog-title" onClose={closed}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
};
