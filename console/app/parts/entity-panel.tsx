import type { Ca, EdgeRouter, Identity } from '../../../client/index.ts';
import type { Entity } from '../kinds.ts';
import type { Session } from '../session.ts';
import { CaProof } from './ca-proof.tsx';
import { IdentityPanel } from './identity-panel.tsx';
import { RouterEnrollment } from './router-enrollment.tsx';
import { RouterLoad } from './router-load.tsx';
import { TokenCheck } from './token-check.tsx';

interface Props {
  readonly session: Session;
  readonly group: string;
  readonly entity: Entity;
  readonly reload: () => void;
}

/** The actions on an entity of certain kinds, above its fields. */
export const EntityPanel = ({ session, group, entity, reload }: Props) => {
  // Entities of these groups have these types.
  if (group === 'identities') return <IdentityPanel session={session} identity={entity as unknown as Identity} reload={reload} />;
  if (group === 'cas' && session.mayOn('cas', 'verify', entity)) return <CaProof ca={entity as unknown as Ca} reload={reload} />;
  if (group === 'externalJwtSigners') return session.may('externalJwtSigners', 'checkToken') ? <TokenCheck /> : null;
  if (group !== 'edgeRouters' && group !== 'transitRouters') return null;
  return (
    <>
      {group === 'edgeRouters' && <RouterEnrollment router={entity as unknown as EdgeRouter} />}
      {session.may('traffic', 'history') && <RouterLoad session={session} id={entity.id} />}
    </>
  );
};
