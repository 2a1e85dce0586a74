import type { apiSession, postureCheck, postureData } from '../../contract/api/kinds.ts';
import type { BaseRow, RowOf } from '../../contract/api/kit/index.ts';

export type StoredPostureCheck = RowOf<typeof postureCheck>;
export type PostureCheckOf<T extends StoredPostureCheck['typeId']> = Extract<StoredPostureCheck, { readonly typeId: T }>;

/** The facts about an API session. Times are ISO 8601 text. */
export type SessionFacts = Pick<RowOf<typeof apiSession>, 'mfaPassedAt' | 'wokenAt' | 'unlockedAt' | 'sdkInfo'>;

/** The facts about an identity, with the times of their reports, as posture data stores them. */
export type IdentityFacts = Omit<RowOf<typeof postureData>, keyof BaseRow | 'identityId'>;

/** The facts known about an endpoint: those reported for its identity, and those of its API session. */
type KnownFacts = Omit<IdentityFacts, 'toldAt'> & { readonly session: SessionFacts };

/** A check must fail, not throw, if a fact is missing at any level, so every access must handle a missing value. */
type MayBeMissing<T> = T extends readonly (infer E)[]
  ? readonly MayBeMissing<E>[] | null | undefined
  : T extends object
    ? { readonly [K in keyof T]?: MayBeMissing<T[K]> } | null | undefined
    : T | null | undefined;

export type Facts = NonNullable<MayBeMissing<KnownFacts>>;
