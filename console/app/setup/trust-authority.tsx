import { useMemo } from 'preact/hooks';
import { entityApi } from '../kinds.ts';
import { CaProof } from '../parts/ca-proof.tsx';
import { ReasonField, useReason } from '../parts/reason.tsx';
import { goTo, hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { Created } from './created.tsx';
import { fieldsOfGroup } from './fields.ts';
import { useFollowed } from './followed.ts';
import { Steps, useSetup } from './steps.tsx';
import type { WayProps } from './way-props.ts';

const t = texts.setup.authority;
const CERTIFICATE = ['name', 'certPem'];
const USES = ['isAuthEnabled', 'isOttCaEnrollmentEnabled', 'isAutoCaEnrollmentEnabled', 'identityRoles'];

/** Uploads the certificate of an authority, and has its owner prove that the key is theirs. */
export const TrustAuthority = ({ session, query }: WayProps) => {
  const fields = useMemo(() => fieldsOfGroup(session, 'cas', [...CERTIFICATE, ...USES]), []);
  const setup = useSetup('trust-authority', fields);
  const reason = useReason('setup/trust-authority');
  if (query['id'] !== undefined) return <Proving session={session} id={query['id']} />;
  const enrollsAlone = setup.state.shown['isAutoCaEnrollmentEnabled'] === true;
  const uses = fields.filter(({ name }) => USES.includes(name) && (enrollsAlone || name !== 'identityRoles'));
  const finish = async (): Promise<void> => {
    // Required fields whose values were never entered: none.
    const body = { identityRoles: [], ...setup.body() };
    const { id } = await entityApi('cas').create({ body }, reason.text.trim() ? { reason: reason.text.trim() } : {});
    reason.drop();
    setup.state.startOver();
    goTo(hrefOf(['setup', 'trust-authority'], { id }), { isReplacing: true });
  };
  return (
    <Steps
      setup={setup}
      steps={[
        { ...t.steps.certificate, fields: fields.filter(({ name }) => CERTIFICATE.includes(name)) },
        { ...t.steps.uses, fields: uses, content: <ReasonField reason={reason} /> },
      ]}
      at={query['step']}
      action={t.action}
      finish={finish}
    />
  );
};

/** An authority that was just uploaded, until it is verified. */
const Proving = ({ session, id }: { readonly session: Session; readonly id: string }) => {
  const loaded = useFollowed(session, `proving ${id}`, {
    kinds: ['ca'],
    read: (signal) => client.cas.get({ id }, { signal }),
    isDone: () => true,
  });
  const ca = loaded.value;
  return (
    <Created
      loaded={loaded}
      way="trust-authority"
      title={t.created(ca?.name ?? '')}
      ticks={
        ca
          ? [
              { key: 'created', isDone: true, text: t.status.created },
              { key: 'verified', isDone: ca.isVerified, text: t.status.verified },
            ]
          : []
      }
      links={[{ text: t.open, segments: ['entities', 'cas', id] }]}
    >
      {ca && <CaProof ca={ca} reload={loaded.reload} />}
    </Created>
  );
};
