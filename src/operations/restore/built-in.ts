import { builtinConfigTypes } from '../../access/configs/builtin.ts';
import { builtInPostureCheckTypes } from '../../access/posture/check-types.ts';
import type { KindName, kinds } from '../../contract/api/index.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';

/**
 * The treatment of a built-in row by upgrades. `fixed`: always as in this release, because no operation changes it. `seeded`: inserted if
 * missing, then left to administrators. `offered`: inserted once, updated by new releases while it is unchanged, and left alone once it was
 * changed or deleted.
 */
type Policy = 'fixed' | 'seeded' | 'offered';

type Fields<K extends KindName> = Partial<Omit<RowOf<(typeof kinds)[K]>, 'version' | 'createdAt' | 'updatedAt'>>;

/** A row that every network has, with the fields that differ from their defaults. */
export type BuiltIn = {
  readonly [K in KindName]: { readonly kind: K; readonly id: string; readonly policy: Policy; readonly fields: Fields<K> };
}[KindName];

const defaultAuthPolicy: BuiltIn = {
  kind: 'authPolicy',
  id: 'default',
  policy: 'seeded',
  fields: {
    name: 'Default',
    primary: {
      cert: { allowed: true, allowExpiredCerts: true },
      extJwt: { allowed: true, allowedSigners: [] },
      updb: {
        allowed: true,
        minPasswordLength: 5,
        requireSpecialChar: false,
        requireNumberChar: false,
        requireMixedCase: false,
        maxAttempts: 0,
        lockoutDurationMinutes: 0,
      },
    },
    secondary: { requireTotp: false, requireExtJwtSigner: null },
    externalJwtSigners: [],
  },
};

/** The built-in rows of this release. */
export const builtIn: readonly BuiltIn[] = [
  ...['Default', 'Router'].map((id): BuiltIn => ({ kind: 'identityType', id, policy: 'fixed', fields: { name: id } })),
  defaultAuthPolicy,
  ...builtInPostureCheckTypes.map(({ id, ...fields }): BuiltIn => ({ kind: 'postureCheckType', id, policy: 'fixed', fields })),
  ...builtinConfigTypes.map(({ id, ...fields }): BuiltIn => ({ kind: 'configType', id, policy: 'offered', fields })),
];

/**
 * Offered by releases up to 0.1.0, which kept no record of offered rows. If one is missing from a network of such a release, it was
 * deleted.
 */
export const OFFERED_UNRECORDED: ReadonlySet<string> = new Set(
  [
    'NH5p4FpGR',
    'cea49285-6c07-42cf-9f52-09a9b115c783',
    'f2dd2df0-9c04-4b84-a91e-71437ac229f1',
    'g7cIWbcGg',
    'host.v2',
    'interfaces.v1',
    'proxy.v1',
  ].map((id) => `configType/${id}`),
);
