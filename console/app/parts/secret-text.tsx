import { download } from '../download.ts';
import { texts } from '../texts.ts';
import { useCopy } from './copy-button.tsx';

const t = texts.account;

interface Props {
  readonly text: string;
  /** The name of the file to download it as; without it, it is only copied. */
  readonly file?: string;
}

/** A text that is not shown again, with buttons to keep it. */
export const SecretText = ({ text, file }: Props) => {
  const [status, copy] = useCopy(text, { done: t.copied, failed: t.notCopied });
  return (
    <>
      <pre class="token">{text}</pre>
      <div class="actions">
        <button type="button" onClick={copy}>
          {t.copy}
        </button>
        {file !== undefined && (
          <button type="button" onClick={() => download(file, 'text/plain', `${text}\n`)}>
            {t.download}
          </button>
        )}
        <span role="status">{status}</span>
      </div>
    </>
  );
};
