import type { Identity } from '../../../client/index.ts';
import { texts } from '../texts.ts';
import { QrCode } from './qr-code.tsx';
import { fileNameOf, Token } from './token.tsx';
import { Value } from './value.tsx';

const t = texts.enrollment;

/** The outstanding enrollment of an identity: its token, as a QR code and as text, with the commands that use it. */
export const Enrollment = ({ identity: { name, enrollment } }: { readonly identity: Identity }) => {
  const { ott, updb } = enrollment;
  const { jwt, expiresAt } = ott ?? updb ?? {};
  if (jwt === undefined) return null;
  const file = fileNameOf(name);
  return (
    <section class="enrollment" aria-labelledby="enrollment">
      {ott && <QrCode text={jwt} label={t.qrCode(name)} />}
      <div>
        <h2 id="enrollment">{ott ? t.title : t.passwordTitle}</h2>
        <p>{ott ? t.hint : t.passwordHint}</p>
        <p class="muted small">
          {t.ends} <Value value={expiresAt} isFull />
        </p>
        <Token text={jwt} lines={ott ? t.lines(file) : t.passwordLines(file)} />
      </div>
    </section>
  );
};
