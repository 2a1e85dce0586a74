import { enrollment } from '../../../api/enrollments.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError, explained, invalidField } from '../../../errors/index.ts';
import { equals, stringField } from '../../../query/index.ts';
import { hashToken, isOpaqueToken } from '../../../tokens/opaque.ts';
import { JSON_TYPE } from '../../../wire/media-types.ts';
import type { EnrollmentMethods, EnrollmentResult, Offer } from './method.ts';

type Row = RowOf<typeof enrollment>;

export interface Attempt {
  readonly token: string | undefined;
  /** Default: the method of the enrollment. */
  readonly method?: string | undefined;
  readonly offer: Offer;
}

/**
 * Completes an enrollment. An invalid token reveals nothing but its invalidity, and costs only a lookup. A token is consumed only on success, and only once.
 * @throws ApiError `INVALID_ENROLLMENT_TOKEN`, `INVALID_ENROLL_METHOD`, `ENROLLMENT_EXPIRED`, `SERVER_TOO_MANY_REQUESTS`, and errors of the method
 */
export const enroll = async (
  call: Call,
  methods: EnrollmentMethods,
  { token, method, offer }: Attempt,
): Promise<EnrollmentResult['answer']> => {
  if (token !== undefined && token !== '' && !isOpaqueToken(token)) throw malformed(token, call);
  const row = await call.read((entities) => requireOutstanding(entities, token ?? ''));
  if (method !== undefined && method !== row.method)
    throw explained('INVALID_ENROLL_METHOD', `the token is for method ${row.method}, not for the one that was asked for`);
  requireUnexpired(row, call);
  const { answer, complete } = await call.core.enrollments.run(() => methods[row.method](call, row, offer), call);
  await call.write(async (entities) => {
    // In the meantime, the enrollment may have been used, given a new token, or expired.
    const current = await requireOutstanding(entities, token ?? '');
    requireUnexpired(current, call);
    await complete(entities);
    await entities.remove(enrollment, current);
  });
  return answer;
};

/** The error for a malformed token. Clients expect a validation error only for JSON bodies. */
const malformed = (token: string, { contentType = JSON_TYPE }: Call): ApiError =>
  contentType === JSON_TYPE ? invalidField('token', 'token must be of type uuid', token) : new ApiError('INVALID_ENROLLMENT_TOKEN');

const requireOutstanding = async (entities: Entities, token: string): Promise<Row> => {
  const row = token === '' ? undefined : await entities.find(enrollment, equals(stringField('tokenHash'), hashToken(token)));
  if (!row) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
  return row;
};

const requireUnexpired = ({ expiresAt }: Row, call: Call): void => {
  if (expiresAt <= call.now()) throw new ApiError('ENROLLMENT_EXPIRED');
};
