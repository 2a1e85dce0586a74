import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { settings } from '../settings.ts';

/** The heading of a page, which is also the title of the document, with the page's actions. */
export const Heading = ({ text, children }: { readonly text: string; readonly children?: ComponentChildren }) => {
  useLayoutEffect(() => {
    document.title = `${text} – ${settings.name}`;
  }, [text]);
  return (
    <div class="heading">
      <h1>{text}</h1>
      <div class="actions">{children}</div>
    </div>
  );
};
