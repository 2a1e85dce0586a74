import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';

/** The status of copying a text, and a function that copies it to the clipboard. */
export const useCopy = (text: string, { done, failed }: { readonly done: string; readonly failed: string }) => {
  const [said, setSaid] = useState('');
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setSaid(done),
      () => setSaid(failed),
    );
  return [said, copy] as const;
};

/** Copies a text to the clipboard, and says so. */
export const CopyButton = ({ text, about }: { readonly text: string; readonly about: string }) => {
  const [said, copy] = useCopy(text, texts.copying);
  return (
    <span class="copy">
      <button type="button" class="quiet small" aria-label={texts.copying.about(about)} onClick={copy}>
        {texts.copying.copy}
      </button>
      <span class="muted small" role="status">
        {said}
      </span>
    </span>
  );
};

/** Fields that people carry elsewhere. */
const COPIED = /^id$|fingerprint|token$|jwt$|pem$|externalId|clientId|issuer|audience/i;

/** The text of a field that people copy; undefined for other fields. */
export const copiedText = (name: string, value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && COPIED.test(name) ? value : undefined;
