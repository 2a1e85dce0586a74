import { useState } from 'preact/hooks';
import type { Identity } from '../../../src/client/index.ts';
import { previewing } from '../../../src/client/index.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { Problem } from './problem.tsx';
import { QrCode } from './qr-code.tsx';
import { Value } from './value.tsx';

const t = texts.enrollment;

interface Props {
  readonly session: Session;
  readonly identity: Identity;
  readonly reload: () => void;
}

/** What is done with an identity: enroll its device, disable it, end its sessions. */
export const IdentityPanel = ({ session, identity, reload }: Props) => {
  const [error, setError] = useState<unknown>();
  const [isDisabling, setDisabling] = useState(false);
  const act = (work: Promise<unknown>): void => {
    setError(undefined);
    work.then(reload, setError);
  };
  const { id, disabled, isDefaultAdmin } = identity;
  return (
    <>
      <Enrollment identity={identity} />
      {error !== undefined && <Problem error={error} />}
      <div class="actions panel">
        <span class={identity.hasApiSession ? 'live on' : 'live'}>{identity.hasApiSession ? t.online : t.offline}</span>
        <button type="button" class="quiet" onClick={reload}>
          {t.refresh}
        </button>
        {session.mayOn('enrollments', 'create', { ...identity }) && !identity.enrollment.ott && (
          <button
            type="button"
            onClick={() => act(client.enrollments.create({ body: { identityId: id, method: 'ott', expiresAt: inOneDay() } }))}
          >
            {t.enrollAgain}
          </button>
        )}
        {session.may('revocations', 'create') && (
          // Nobody else reaches the sessions of people who log in by OpenID, such as those of this console.
          <button type="button" onClick={() => act(endSessions(id))}>
            {t.endSessions}
          </button>
        )}
        {!isDefaultAdmin && disabled && session.mayOn('identities', 'enable', { ...identity }) && (
          <button type="button" onClick={() => act(client.identities.enable({ id }))}>
            {t.enable}
          </button>
        )}
        {!isDefaultAdmin && !disabled && session.mayOn('identities', 'disable', { ...identity }) && (
          <button type="button" class="danger" onClick={() => setDisabling(true)}>
            {t.disable}
          </button>
        )}
      </div>
      {isDisabling && (
        <ChangeDialog
          title={t.disableTitle(identity.name)}
          action={t.disable}
          isDangerous
          preview={(options) => previewing(client).identities.disable(untilEnabled(id), options)}
          carryOut={async (options) => {
            await client.identities.disable(untilEnabled(id), options);
            setDisabling(false);
            reload();
          }}
          close={() => setDisabling(false)}
        />
      )}
    </>
  );
};

/** Without a time, it stays disabled until somebody enables it. */
const untilEnabled = (id: string) => ({ id, body: { durationMinutes: 0 } });

const DAY_MS = 86_400_000;
const inOneDay = (): string => new Date(Date.now() + DAY_MS).toISOString();

/** Ends all sessions of an identity: those of OpenID logins, too, which no list has. */
const endSessions = (id: string): Promise<unknown> => client.revocations.create({ body: { id, type: 'IDENTITY' } });

/** The token of an enrollment: to scan, to copy, and the lines that use it. */
const Enrollment = ({ identity: { name, enrollment } }: { readonly identity: Identity }) => {
  const jwt = enrollment.ott?.jwt;
  if (!enrollment.ott || jwt === undefined) return null;
  return (
    <section class="enrollment" aria-labelledby="enrollment">
      <QrCode text={jwt} label={t.qrCode(name)} />
      <div>
        <h2 id="enrollment">{t.title}</h2>
        <p>{t.hint}</p>
        <p class="muted small">
          {t.ends} <Value value={enrollment.ott.expiresAt} isWhole />
        </p>
        <p>
          <button type="button" onClick={() => void navigator.clipboard.writeText(jwt)}>
            {t.copy}
          </button>
        </p>
        <pre>{t.lines(fileNameOf(name))}</pre>
        <details>
          <summary>{t.token}</summary>
          <pre class="token">{jwt}</pre>
        </details>
      </div>
    </section>
  );
};

/** A name that is a file name in every shell. */
const fileNameOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+/, '') || 'device';
