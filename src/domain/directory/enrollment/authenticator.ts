import { authenticator } from '../../../api/authenticators.ts';
import type { Entities } from '../../../changes/entities.ts';
import { newRow } from '../../../resources/merge.ts';
import { requireFirst } from '../authenticators/behaviour.ts';
import type { AuthenticatorRow } from '../authenticators/method.ts';
import { enrolleeOf } from './behaviour.ts';
import type { EnrollmentRow } from './method.ts';

/**
 * The authenticator that an enrollment turns into.
 * @throws ApiError `MAX_AUTHENTICATOR_METHODS_REACHED`; `COULD_NOT_VALIDATE` with the field when username or certificate are another's
 */
export const addAuthenticator = async (
  entities: Entities,
  row: EnrollmentRow,
  method: AuthenticatorRow['method'],
  given: Partial<AuthenticatorRow>,
  own: Partial<AuthenticatorRow>,
): Promise<void> => {
  const [, identityId] = enrolleeOf(row);
  await requireFirst(entities, { identityId, method });
  await entities.insert(authenticator, newRow(authenticator, { identityId, method, ...given }, own));
};
