import { apiSession } from '../../../api/api-sessions.ts';
import { session } from '../../../api/sessions.ts';
import type { Entities } from '../../../entities/entities.ts';
import { equals, oneOf, stringField } from '../../../query/index.ts';

/** Notes of an identity that becomes an administrator which of its API sessions reach services: routers were sent their tokens. */
export const markKnownToRouters = async (entities: Entities, identityId: string): Promise<void> => {
  const reaching = await entities.list(session, { where: equals(stringField('identityId'), identityId) });
  const ids = [...new Set(reaching.map(({ apiSessionId }) => apiSessionId))];
  if (ids.length === 0) return;
  for (const row of await entities.list(apiSession, { where: oneOf(stringField('id'), ids) }))
    await entities.update(apiSession, row, { isKnownToRouters: true });
};
