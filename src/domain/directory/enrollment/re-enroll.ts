import { authenticator } from '../../../api/authenticators.ts';
import type { RowOf } from '../../../api/kit/resource.ts';
import type { Call } from '../../../call/call.ts';
import { deleteRow } from '../../../resources/crud.ts';
import { passwordChanged } from '../authenticators/password-change.ts';
import { addEnrollment, enrollmentLink, requireLater } from './behaviour.ts';

/** The enrollment by which the owner of an authenticator gets another of its kind. */
const again = ({ method, username, isIssuedByNetwork, caId }: RowOf<typeof authenticator>) => {
  if (method === 'updb') return { method, username };
  return isIssuedByNetwork ? ({ method: 'ott' } as const) : ({ method: 'ottca', caId } as const);
};

/** In place of the authenticator, in one transaction. */
export const reEnroll = (
  call: Call,
  { id, body: { expiresAt } }: { readonly id: string; readonly body: { readonly expiresAt: string } },
) => {
  requireLater(expiresAt, call);
  return call.write(async (entities) => {
    const row = await entities.require(authenticator, id);
    const made = await addEnrollment(entities, call, { identityId: row.identityId, expiresAt, ...again(row) });
    // As `crudHandlers` does it: of a kind only its table is looked at.
    await deleteRow(entities, authenticator as never, id, call);
    if (row.method === 'updb') await passwordChanged(entities, call, row.identityId);
    return enrollmentLink(made.id);
  });
};
