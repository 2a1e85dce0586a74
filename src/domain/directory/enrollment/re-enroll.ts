import { authenticator } from '../../../api/authenticators.ts';
import type { Call } from '../../../call/call.ts';
import { deleteRow } from '../../../resources/crud.ts';
import { authenticatorMethods } from '../authenticators/methods.ts';
import { passwordChanged } from '../authenticators/password-change.ts';
import { addEnrollment, enrollmentLink, requireLater } from './behaviour.ts';

/** In place of the authenticator, in one transaction. */
export const reEnrollAuthenticator = (
  call: Call,
  { id, body: { expiresAt } }: { readonly id: string; readonly body: { readonly expiresAt: string } },
) => {
  requireLater(expiresAt, call);
  return call.write(async (entities) => {
    const row = await entities.require(authenticator, id);
    const made = await addEnrollment(entities, call, {
      identityId: row.identityId,
      expiresAt,
      ...authenticatorMethods[row.method].renewal(row),
    });
    // As `crudHandlers` does it: of a kind only its table is looked at.
    await deleteRow(entities, authenticator, id, call);
    if (row.method === 'updb') await passwordChanged(entities, call, row.identityId);
    return enrollmentLink(made.id);
  });
};
