import { authenticator } from '../../../api/authenticators.ts';
import type { Entities } from '../../../entities/entities.ts';
import { newRow } from '../../../resources/merge.ts';
import { requireFirst } from '../authenticators/behaviour.ts';
import type { StoredAuthenticator } from '../authenticators/method.ts';
import { enrolleeOf } from './behaviour.ts';
import type { StoredEnrollment } from './method.ts';

/**
 * Creates the authenticator for which an enrollment is exchanged.
 * @throws ApiError `MAX_AUTHENTICATOR_METHODS_REACHED`; `COULD_NOT_VALIDATE` with the field when username or certificate are another's
 */
export const addAuthenticator = async (
  entities: Entities,
  row: StoredEnrollment,
  method: StoredAuthenticator['method'],
  given: Partial<StoredAuthenticator>,
  own: Partial<StoredAuthenticator>,
): Promise<void> => {
  const [, identityId] = enrolleeOf(row);
  await requireFirst(entities, { identityId, method });
  await entities.insert(authenticator, newRow(authenticator, { identityId, method, ...given }, own));
};
