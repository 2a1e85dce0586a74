import type { Call } from '../../call/call.ts';
import type { enrolling } from '../../contract/api/enrolling.ts';
import type { IdentityMethodName } from '../../contract/api/enrollment-methods.ts';
import type { enrollment } from '../../contract/api/enrollments.ts';
import type { DecodedOf, OutputOf, RowOf } from '../../contract/api/kit/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

export type StoredEnrollment = RowOf<typeof enrollment>;
type Enroll = (typeof enrolling)['operations']['enroll'];
export type Offer = NonNullable<DecodedOf<Enroll>['body']>;

/** The result of an enrollment. */
export interface EnrollmentResult {
  readonly answer: OutputOf<Enroll>;
  /** Called in the transaction that removes the enrollment. */
  complete(entities: Entities): Promise<void>;
}

/** Lists the controllers for the answer to an enrollment; empty for clients of release 1.7. */
export type ListControllers = (call: Call) => Promise<Pick<OutputOf<Enroll>, 'controllers'>>;

/** Validates the client's input and does slow work before the transaction. If it throws, the enrollment is not consumed. */
export type EnrollmentMethod = (call: Call, row: StoredEnrollment, offer: Offer) => Promise<EnrollmentResult>;

/** A function for each enrollment method of identities that the contract declares. `fabric` has those of routers. */
export type IdentityEnrollmentMethods = { readonly [M in IdentityMethodName]: EnrollmentMethod };

/** The functions of all methods that enroll with a token. */
export type EnrollmentMethods = Readonly<Record<StoredEnrollment['method'], EnrollmentMethod>>;
