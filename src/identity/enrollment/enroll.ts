import type { Call } from '../../call/call.ts';
import { enrollment } from '../../contract/api/enrollments.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ApiError, explained, invalidField } from '../../contract/errors/index.ts';
import { JSON_TYPE } from '../../contract/wire/media-types.ts';
import { hashToken, isOpaqueToken } from '../../crypto/tokens/opaque.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { EnrollmentMethods, EnrollmentResult, Offer } from './method.ts';

type Row = RowOf<typeof enrollment>;

export interface Attempt {
  readonly token: string | undefined;
  /** Default: the method of the enrollment. */
  readonly method?: string | undefined;
  readonly offer: Offer;
}

/**
 * Completes an enrollment. A token is consumed once, and only on success. The error for an invalid token does not reveal more, and takes
 * only a lookup.
 * @throws ApiError `INVALID_ENROLLMENT_TOKEN`, `INVALID_ENROLL_METHOD`, `ENROLLMENT_EXPIRED`, `SERVER_TOO_MANY_REQUESTS`, and errors of the
 * method
 */
export const enroll = async (
  call: Call,
  methods: EnrollmentMethods,
  { token, method, offer }: Attempt,
): Promise<EnrollmentResult['answer']> => {
  if (token !== undefined && token !== '' && !isOpaqueToken(token)) throw malformed(token, call);
  const row = await call.read((entities) => requireOutstanding(entities, token ?? ''));
  if (method !== undefined && method !== row.method)
    throw explained('INVALID_ENROLL_METHOD', `the token is for method ${row.method}, not for the requested method`);
  requireUnexpired(row, call);
  const { answer, complete } = await call.core.enrollments.run(() => methods[row.method](call, row, offer), call);
  await call.write(async (entities) => {
    // The enrollment may have been consumed, renewed or expired since it was read.
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
