import { useId, useState } from 'preact/hooks';
import type { ExternalTokenCheck } from '../../../client/index.ts';
import { client } from '../session.ts';
import { texts } from '../texts.ts';
import { ReferenceLink } from './entity-link.tsx';
import { Problem } from './problem.tsx';

const t = texts.tokenCheck;

/** Asks whether a token of an identity provider would log an identity in, and if not, why. The token is not kept. */
export const TokenCheck = () => {
  const id = useId();
  const [token, setToken] = useState('');
  const [isChecking, setChecking] = useState(false);
  const [{ result, error }, setAnswer] = useState<{ readonly result?: ExternalTokenCheck; readonly error?: unknown }>({});
  const check = async (event: Event): Promise<void> => {
    event.preventDefault();
    setChecking(true);
    setAnswer(
      await client.externalJwtSigners.checkToken({ body: { token: token.trim() } }).then(
        (checked) => ({ result: checked }),
        (failure: unknown) => ({ error: failure }),
      ),
    );
    setChecking(false);
  };
  return (
    <details>
      <summary>{t.title}</summary>
      <form class="field" onSubmit={check}>
        <label for={id}>{t.token}</label>
        <textarea
          id={id}
          rows={4}
          required
          readOnly={isChecking}
          autocomplete="off"
          spellcheck={false}
          aria-describedby={`${id}-hint`}
          value={token}
          onInput={({ currentTarget }) => {
            setToken(currentTarget.value);
            setAnswer({});
          }}
        />
        <p id={`${id}-hint`} class="muted small">
          {t.hint}
        </p>
        <button type="submit" disabled={isChecking}>
          {t.action}
        </button>
      </form>
      <div role="status">{result && <Result result={result} />}</div>
      {error !== undefined && <Problem error={error} />}
    </details>
  );
};

const Result = ({ result: { isAccepted, message, signer, subject, identity } }: { readonly result: ExternalTokenCheck }) => (
  <div class={`notice ${isAccepted ? 'good' : 'bad'}`}>
    <p>{isAccepted ? t.accepted : t.refused(message)}</p>
    {subject !== undefined && <p>{t.subject(subject)}</p>}
    {identity && (
      <p>
        {t.identity} <ReferenceLink reference={identity} />
      </p>
    )}
    {signer && (
      <p>
        {t.signer} <ReferenceLink reference={signer} />
      </p>
    )}
  </div>
);
