import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import type { InputProps } from './input.tsx';

const t = texts.files;
/** The first byte of a certificate in DER. */
const DER_SEQUENCE = 0x30;

/** The text of a file in PEM; one in DER becomes PEM. */
const pemOf = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] !== DER_SEQUENCE) return new TextDecoder().decode(bytes);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/(.{64})(?=.)/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
};

/** A certificate or a key: entered as text, or read from a file that is chosen or dropped. */
export const PemInput = ({ field, shown, change, id, describedBy, isInvalid, isRequired }: InputProps) => {
  const [said, setSaid] = useState('');
  const [isOver, setOver] = useState(false);
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    if (file.size > (field.maxLength ?? Number.POSITIVE_INFINITY)) return setSaid(t.tooLong(file.name));
    change(await pemOf(file));
    setSaid(t.read(file.name));
  };
  return (
    <>
      <textarea
        id={id}
        class={isOver ? 'dropping' : undefined}
        required={isRequired}
        aria-describedby={[describedBy, `${id}-file-hint`].filter(Boolean).join(' ')}
        {...(isInvalid ? { 'aria-invalid': true } : {})}
        rows={5}
        spellcheck={false}
        value={typeof shown === 'string' ? shown : ''}
        onInput={(event) => change(event.currentTarget.value)}
        onDragOver={(event) => {
          if (!event.dataTransfer?.types.includes('Files')) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false);
          const file = event.dataTransfer?.files[0];
          if (!file) return;
          event.preventDefault();
          void read(file);
        }}
      />
      <div class="file">
        <input
          id={`${id}-file`}
          type="file"
          aria-labelledby={`${id}-choose`}
          class="unseen"
          onChange={(event) => {
            void read(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
        <label id={`${id}-choose`} for={`${id}-file`} class="button">
          {t.choose}
        </label>
        <span id={`${id}-file-hint`} class="muted small">
          {t.hint}
        </span>
      </div>
      <p role="status" class="muted small">
        {said}
      </p>
    </>
  );
};
