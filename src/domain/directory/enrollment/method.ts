import type { enrolling } from '../../../api/enrolling.ts';
import type { IdentityMethodName } from '../../../api/enrollment-methods.ts';
import type { enrollment } from '../../../api/enrollments.ts';
import type { DecodedOf, OutputOf, RowOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';

export type StoredEnrollment = RowOf<typeof enrollment>;
type Enroll = (typeof enrolling)['operations']['enroll'];
export type Offer = NonNullable<DecodedOf<Enroll>['body']>;

/** The result of an enrollment. */
export interface EnrollmentResult {
  readonly answer: OutputOf<Enroll>;
  /** Inside the transaction that takes the enrollment away. */
  complete(entities: Entities): Promise<void>;
}

/** Before the transaction: looks at what the client brings, and does the slow work. What it throws leaves the enrollment as it is. */
export type EnrollmentMethod = (call: Call, row: StoredEnrollment, offer: Offer) => Promise<EnrollmentResult>;

/** A function for each method of identities that the contract declares. Those of routers are where routers are. */
export type IdentityEnrollmentMethods = { readonly [M in IdentityMethodName]: EnrollmentMethod };

/** The ways to enroll by a token. */
export type EnrollmentMethods = Readonly<Record<StoredEnrollment['method'], EnrollmentMethod>>;
