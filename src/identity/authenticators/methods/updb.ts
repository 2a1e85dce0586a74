import { invalidField } from '../../../contract/errors/index.ts';
import type { AuthenticatorMethod } from '../method.ts';
import { hashPassword } from '../passwords.ts';

/** A username with a password. */
export const updbAuthenticator: AuthenticatorMethod = {
  create: async (call, { identityId, username, password }) => {
    if (username == null) throw invalidField('username', 'username in body is required for method updb', undefined);
    if (password == null) throw invalidField('password', 'password in body is required for method updb', undefined);
    return { ...(await hashPassword(call, identityId, password)), certPem: null };
  },
  isAllowed: ({ updb: { allowed } }) => allowed,
  summary: ({ id, username }) => ({ id, username }),
  renewal: ({ username }) => ({ method: 'updb', username }),
};
