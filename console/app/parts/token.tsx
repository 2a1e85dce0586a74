import { texts } from '../texts.ts';

const t = texts.enrollment;

/** An enrollment token to copy, with the lines that use it. */
export const Token = ({ text, lines }: { readonly text: string; readonly lines: string }) => (
  <>
    <p>
      <button type="button" onClick={() => void navigator.clipboard.writeText(text)}>
        {t.copy}
      </button>
    </p>
    <pre>{lines}</pre>
    <details>
      <summary>{t.token}</summary>
      <pre class="token">{text}</pre>
    </details>
  </>
);

/** A file name that needs no quoting in any shell. */
export const fileNameOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+/, '') || 'device';
