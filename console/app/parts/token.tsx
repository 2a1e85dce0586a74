import { download } from '../download.ts';
import { texts } from '../texts.ts';
import { useCopy } from './copy-button.tsx';

const t = texts.enrollment;

interface Props {
  readonly text: string;
  /** The name of the file that the lines expect, without its extension. */
  readonly file: string;
  readonly lines: string;
}

/** An enrollment token to copy or download, with the lines that use it. It is shown on demand. */
export const Token = ({ text, file, lines }: Props) => {
  const [said, copy] = useCopy(text, texts.copying);
  return (
    <>
      <p class="actions">
        <button type="button" onClick={copy}>
          {t.copy}
        </button>
        <button type="button" onClick={() => download(`${file}.jwt`, 'text/plain', text)}>
          {texts.account.download}
        </button>
        <span class="muted small" role="status">
          {said}
        </span>
      </p>
      <pre>{lines}</pre>
      <details>
        <summary>{t.show}</summary>
        <pre class="token">{text}</pre>
      </details>
    </>
  );
};

/** A file name that needs no quoting in any shell. */
export const fileNameOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+/, '') || 'device';
