import { invalidField } from '../../../contract/errors/index.ts';
import { endSessionsAfterPasswordChange, hashPassword } from '../../authenticators/passwords.ts';
import { addAuthenticator, enrolleeOf } from '../behaviour.ts';
import type { EnrollmentMethod } from '../method.ts';

/** Sets a password for the username that the administrator chose. */
export const enrollByUpdb: EnrollmentMethod = async (call, row, { password }) => {
  if (password === undefined) throw invalidField('password', 'password in body is required', undefined);
  const [, identityId] = enrolleeOf(row);
  const passwordFields = await hashPassword(call, identityId, password);
  const username = row.username ?? '';
  return {
    answer: { username },
    complete: async (entities) => {
      await addAuthenticator(entities, row, 'updb', { username }, passwordFields);
      await endSessionsAfterPasswordChange(entities, call, identityId);
    },
  };
};
