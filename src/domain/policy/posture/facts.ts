import type { apiSession, postureCheck, postureData } from '../../../api/kinds.ts';
import type { BaseRow, RowOf } from '../../../api/kit/index.ts';

export type StoredPostureCheck = RowOf<typeof postureCheck>;
export type PostureCheckOf<T extends StoredPostureCheck['typeId']> = Extract<StoredPostureCheck, { readonly typeId: T }>;

/** The facts of an API session. Times are ISO strings. */
export type SessionFacts = Pick<RowOf<typeof apiSession>, 'mfaPassedAt' | 'wokenAt' | 'unlockedAt' | 'sdkInfo'>;

/** The facts of an identity, with the times of their reports: what posture data holds. */
export type IdentityFacts = Omit<RowOf<typeof postureData>, keyof BaseRow | 'identityId'>;

/** The facts known about an endpoint: those reported for its identity, and those of its API session. */
type KnownFacts = Omit<IdentityFacts, 'toldAt'> & { readonly session: SessionFacts };

/** Any part may be missing, at every level. A check must then fail, not throw, so the type forces every access to handle missing values. */
type MayBeMissing<T> = T extends readonly (infer E)[]
  ? readonly MayBeMissing<E>[] | null | undefined
  : T extends object
    ? { readonly [K in keyof T]?: MayBeMissing<T[K]> } | null | undefined
    : T | null | undefined;

export type Facts = NonNullable<MayBeMissing<KnownFacts>>;
