import { useState } from 'preact/hooks';
import { ApiError, type Ca } from '../../../client/index.ts';
import type { FormValue } from '../entered.ts';
import { client } from '../session.ts';
import { ownField } from '../setup/fields.ts';
import { texts } from '../texts.ts';
import { Field } from './field.tsx';
import { Problem } from './problem.tsx';

const t = texts.setup.authority;
const MAX_PEM = 1_048_576;
const PROOF = ownField('proof', 'text', { isRequired: true, maxLength: MAX_PEM });

/** Refusals of the certificate itself. */
const OF_CERTIFICATE: readonly string[] = [
  'EXPECTED_PEM_CERTIFICATE',
  'COULD_NOT_PARSE_DER_BLOCK',
  'COULD_NOT_PARSE_BODY',
  'INVALID_COMMON_NAME',
  'CERTIFICATE_FAILED_VALIDATION',
];

/** The proof that someone holds the key of an authority: what to sign, how, and the field for the result. */
export const CaProof = ({ ca: { id, isVerified, verificationToken }, reload }: { readonly ca: Ca; readonly reload: () => void }) => {
  const [proof, setProof] = useState<FormValue>('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  if (isVerified || !verificationToken) return null;
  const verify = async (): Promise<void> => {
    setError(undefined);
    setBusy(true);
    try {
      await client.cas.verify({ id, body: String(proof) });
      reload();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const isOfProof = error instanceof ApiError && OF_CERTIFICATE.includes(error.code);
  return (
    <section class="panel" aria-labelledby="proof">
      <h2 id="proof">{t.prove}</h2>
      <p>{t.proveHint}</p>
      <pre>{linesOf(verificationToken)}</pre>
      <form
        class="entity"
        onSubmit={(event) => {
          event.preventDefault();
          void verify();
        }}
      >
        <Field
          field={PROOF}
          label={texts.setup.labels['proof'] ?? PROOF.name}
          shown={proof}
          change={setProof}
          path={PROOF.name}
          problem={isOfProof ? { path: PROOF.name, text: error.message } : undefined}
        />
        {error !== undefined && <Problem error={error} isOfField={isOfProof} />}
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy}>
            {t.verify}
          </button>
        </div>
      </form>
    </section>
  );
};

/** The commands that issue the certificate. Tokens have no characters that a shell would read in another way. */
const linesOf = (token: string): string =>
  `openssl req -new -newkey rsa:2048 -nodes -keyout proof.key -out proof.csr -subj /CN=${token.replaceAll(/[^\w-]/g, '')}
openssl x509 -req -in proof.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -out proof.pem`;
