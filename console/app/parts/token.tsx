import { texts } from '../texts.ts';
import { useCopy } from './copy-button.tsx';

const t = texts.enrollment;

/** An enrollment token to copy, with the lines that use it. */
export const Token = ({ text, lines }: { readonly text: string; readonly lines: string }) => {
  const [said, copy] = useCopy(text, texts.copying);
  return (
    <>
      <p class="actions">
        <button type="button" onClick={copy}>
          {t.copy}
        </button>
        <span class="muted small" role="status">
          {said}
        </span>
      </p>
      <pre>{lines}</pre>
      <details>
        <summary>{t.token}</summary>
        <pre class="token">{text}</pre>
      </details>
    </>
  );
};

/** A file name that needs no quoting in any shell. */
export const fileNameOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+/, '') || 'device';
