import { download } from '../download.ts';
import { texts } from '../texts.ts';

interface Props {
  readonly text: string;
  /** The name of the file to download it as. */
  readonly file: string;
}

/** A credential that is shown on demand, so that a picture of the page has none. */
export const Credential = ({ text, file }: Props) => (
  <span class="credential">
    <details>
      <summary>{texts.enrollment.show}</summary>
      <pre class="token">{text}</pre>
    </details>
    <button type="button" class="quiet small" onClick={() => download(file, 'text/plain', text)}>
      {texts.account.download}
    </button>
  </span>
);
