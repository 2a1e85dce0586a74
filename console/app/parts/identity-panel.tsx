import { useState } from 'preact/hooks';
import { type Client, type Identity, type Preview, previewing } from '../../../client/index.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { ChangeDialog, type PreviewOptions } from './change-dialog.tsx';
import { Disabling } from './disabling.tsx';
import { Enrollment } from './enrollment.tsx';
import { Problem } from './problem.tsx';

const t = texts.enrollment;

interface Props {
  readonly session: Session;
  readonly identity: Identity;
  readonly reload: () => void;
}

/** Actions on an identity: enroll its device, disable it, end its sessions. */
export const IdentityPanel = ({ session, identity, reload }: Props) => {
  const [error, setError] = useState<unknown>();
  const [asked, setAsked] = useState<keyof typeof t.asked>();
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
        <button type="button" class="quiet" onClick={reload}>
          {t.refresh}
        </button>
        {session.mayOn('enrollments', 'create', { ...identity }) && !identity.enrollment.ott && (
          <button type="button" onClick={() => setAsked('enroll')}>
            {t.enrollAgain}
          </button>
        )}
        {session.may('revocations', 'create') && (
          // A revocation also covers tokens that other services check offline.
          <button type="button" class="danger" onClick={() => setAsked('endSessions')}>
            {t.endSessions}
          </button>
        )}
        {!isDefaultAdmin && disabled && session.mayOn('identities', 'enable', { ...identity }) && (
          <button type="button" onClick={() => act(client.identities.enable({ id }))}>
            {t.enable}
          </button>
        )}
        {!isDefaultAdmin && !disabled && session.mayOn('identities', 'disable', { ...identity }) && (
          <button type="button" class="danger" onClick={() => setAsked('disable')}>
            {t.disable}
          </button>
        )}
      </div>
      {asked && (
        <ChangeDialog
          key={asked}
          title={t.asked[asked].title(identity.name)}
          text={t.asked[asked].text}
          action={t.asked[asked].action}
          name={`${asked} ${id}`}
          isDangerous={asked !== 'enroll'}
          losses={asked === 'disable' && <Disabling session={session} group="identities" entities={[{ ...identity }]} />}
          preview={(options) => previewChange(asked, id, options)}
          carryOut={async (options) => {
            await CHANGES[asked](client, id, options);
            reload();
          }}
          close={() => setAsked(undefined)}
        />
      )}
    </>
  );
};

/** The actions that require confirmation, for the client or its previews. */
const CHANGES = {
  enroll: ({ enrollments }: Client, id: string, options: object) =>
    enrollments.create({ body: { identityId: id, method: 'ott', expiresAt: inOneDay() } }, options),
  endSessions: ({ revocations }: Client, id: string, options: object) => revocations.create({ body: { id, type: 'IDENTITY' } }, options),
  // With a duration of 0, it stays disabled until it is enabled again.
  disable: ({ identities }: Client, id: string, options: object) => identities.disable({ id, body: { durationMinutes: 0 } }, options),
};

const previewChange = (name: keyof typeof CHANGES, id: string, options: PreviewOptions): Promise<Preview<unknown>> =>
  CHANGES[name](previewing(client) as unknown as Client, id, options) as Promise<unknown> as Promise<Preview<unknown>>; // the same operations

const DAY_MS = 86_400_000;
const inOneDay = (): string => new Date(Date.now() + DAY_MS).toISOString();
