import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../../client/index.ts';
import { useLoaded } from '../../loaded.ts';
import { bodyFieldsOf } from '../../schema.ts';
import { client, type Session } from '../../session.ts';
import { texts } from '../../texts.ts';
import { ActionForm } from '../action-form.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Problem } from '../problem.tsx';
import { QrCode } from '../qr-code.tsx';
import { SecretText } from '../secret-text.tsx';

const t = texts.account.factor;
const r = texts.account.recovery;

type Body = Readonly<Record<string, unknown>>;
type Status = Awaited<ReturnType<typeof client.currentMfa.get>>;

/** The state of the own second factor; undefined if there is none. */
const readStatus = (signal: AbortSignal): Promise<Status | undefined> =>
  client.currentMfa.get({}, { signal }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });

const codeIn = (body: Body): string => String(body['code'] ?? '').trim();

/** Sets up, and removes, codes of an authenticator app, and shows the recovery codes. */
export const SecondFactor = ({ session }: { readonly session: Session }) => {
  const { value: status, error, isLoading, reload } = useLoaded('own factor', readStatus);
  const [failure, setFailure] = useState<unknown>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [done, setDone] = useState('');
  const fields = bodyFieldsOf(session, 'currentMfa', 'verify').map((field) => ({ ...field, description: undefined }));
  const finish = (text: string): void => {
    setDone(text);
    reload();
  };
  const act = (work: () => Promise<unknown>): void => {
    setFailure(undefined);
    setDone('');
    setCodes(undefined);
    work().then(reload, setFailure);
  };
  const verify = async (body: Body): Promise<void> => {
    await client.currentMfa.verify({ body: { code: codeIn(body) } });
    setCodes(status?.recoveryCodes ?? undefined);
    finish(t.turnedOn);
  };
  return (
    <section aria-labelledby="own-factor">
      <h2 id="own-factor">{t.title}</h2>
      {(failure ?? error) !== undefined && <Problem error={failure ?? error} retry={reload} />}
      <p role="status">{done}</p>
      {codes && <RecoveryCodes codes={codes} />}
      {!status && !isLoading && error === undefined && (
        <>
          <p>{t.off}</p>
          <button type="button" onClick={() => act(() => client.currentMfa.enroll())}>
            {t.begin}
          </button>
        </>
      )}
      {status && !status.isVerified && (
        <>
          {status.provisioningUrl === undefined ? <p>{t.elsewhere}</p> : <Provisioning url={status.provisioningUrl} />}
          {status.provisioningUrl !== undefined && (
            <ActionForm name="setup" fields={fields} actions={[{ label: t.verify, style: 'primary', act: verify }]} />
          )}
          <p>
            <button type="button" class="quiet" onClick={() => act(() => client.currentMfa.delete({}))}>
              {t.cancel}
            </button>
          </p>
        </>
      )}
      {status?.isVerified && <Established {...{ fields, setCodes, finish }} />}
    </section>
  );
};

/** The key for the app, as a QR code and as text. */
const Provisioning = ({ url }: { readonly url: string }) => (
  <div class="enrollment">
    <QrCode text={url} label={t.qrCode} />
    <div>
      <p>{t.scan}</p>
      <p class="muted small">{t.key}</p>
      <pre class="token">{new URL(url).searchParams.get('secret')}</pre>
    </div>
  </div>
);

const RecoveryCodes = ({ codes }: { readonly codes: readonly string[] }) => (
  <div class="notice good">
    <h3>{r.title}</h3>
    <p>{codes.length === 0 ? r.none : r.hint}</p>
    {codes.length > 0 && <SecretText text={codes.join('\n')} file={r.file} />}
  </div>
);

interface EstablishedProps {
  readonly fields: ReturnType<typeof bodyFieldsOf>;
  readonly setCodes: (codes: readonly string[] | undefined) => void;
  readonly finish: (text: string) => void;
}

/** The operations on a verified second factor, each of which needs a code. */
const Established = ({ fields, setCodes, finish }: EstablishedProps) => {
  const [isRemoving, setRemoving] = useState(false);
  const code = useRef('');
  const show = async (body: Body): Promise<void> =>
    setCodes((await client.currentMfa.getRecoveryCodes({ code: codeIn(body) })).recoveryCodes);
  const renew = async (body: Body): Promise<void> => {
    await client.currentMfa.replaceRecoveryCodes({ body: { code: codeIn(body) } });
    await show(body);
  };
  const remove = async (): Promise<void> => {
    await client.currentMfa.delete({ code: code.current });
    setCodes(undefined);
    finish(t.removed);
  };
  return (
    <>
      <p>{t.on}</p>
      <p class="muted small">{t.use}</p>
      <ActionForm
        name="factor"
        fields={fields}
        actions={[
          { label: r.show, act: show },
          { label: r.renew, act: renew },
          {
            label: t.remove,
            style: 'danger',
            act: (body) => {
              code.current = codeIn(body);
              setRemoving(true);
            },
          },
        ]}
      />
      {isRemoving && (
        <ConfirmDialog title={t.removeTitle} text={t.removeText} action={t.remove} carryOut={remove} close={() => setRemoving(false)} />
      )}
    </>
  );
};
