import type { Identity } from '../../../client/index.ts';
import { texts } from '../texts.ts';
import { QrCode } from './qr-code.tsx';
import { fileNameOf, Token } from './token.tsx';
import { Value } from './value.tsx';

const t = texts.enrollment;

interface Props {
  readonly identity: Identity;
  /** True to show the QR code at once. */
  readonly isNew?: boolean;
}

/** The outstanding enrollment of an identity: its token, as a QR code and as text on demand, with the commands that use it. */
export const Enrollment = ({ identity: { name, enrollment }, isNew = false }: Props) => {
  const { ott, updb } = enrollment;
  const { jwt, expiresAt } = ott ?? updb ?? {};
  if (jwt === undefined) return null;
  const file = fileNameOf(name);
  return (
    <section class="enrollment" aria-labelledby="enrollment">
      {ott && isNew && <QrCode text={jwt} label={t.qrCode(name)} />}
      <div>
        <h2 id="enrollment">{ott ? t.title : t.passwordTitle}</h2>
        <p>{ott ? t.hint : t.passwordHint}</p>
        <p class="muted small">
          {t.ends} <Value value={expiresAt} isFull />
        </p>
        <Token text={jwt} file={file} lines={ott ? t.lines(file) : t.passwordLines(file)} />
        {ott && !isNew && (
          <details>
            <summary>{t.showCode}</summary>
            <QrCode text={jwt} label={t.qrCode(name)} />
          </details>
        )}
      </div>
    </section>
  );
};
