/** What an adoption may lose. Each loss has a name, and happens only if it is allowed by that name. */
export const LOSSES = {
  bounds: 'values that this release does not take: they are replaced by the nearest that it takes',
  certificates: 'certificates that cannot be read: their entities are left out',
  'claim-pointers':
    'claims of external JWT signers that are not valid JSON pointers: tokens of the signer identify nobody until it is changed',
  cluster: 'members of the former cluster that its database marks as running: all must be off',
  dangling: 'references to entities that do not exist: the reference is left out, and with it an entity that makes no sense without',
  'enrollment-methods': 'enrollments by a method that this release does not know: they are left out',
  expired: 'enrollments that have expired: they are left out',
  'fabric-only': 'services of the fabric alone, which no identity can reach: they are left out, with their terminators',
  'instance-secrets': 'terminators with a secret that is not text: they are left out',
  limits:
    'values beyond the limits of this release: they stay and are shown, but cannot be written back, and most of them keep a snapshot from being restored',
  nul: 'texts with the character U+0000, which databases cannot hold: U+FFFD takes its place',
  passwords: 'passwords whose hash cannot be read: their authenticators are left out',
  permissions: 'permissions that this release does not know: their identities go without them',
  'posture-checks': 'posture checks of a type that this release does not know: they are left out, and policies no longer require them',
  unknown: 'fields that this release does not know: they are left out',
} as const;

/** The name of a loss. */
export type LossName = keyof typeof LOSSES;

export const isLossName = (name: string): name is LossName => Object.hasOwn(LOSSES, name);

/** @throws TypeError for a name that is no loss */
export const checkedLosses = (caller: string, given: readonly string[]): ReadonlySet<LossName> => {
  const unknown = given.find((name) => !isLossName(name));
  if (unknown !== undefined) throw new TypeError(`${caller} knows the losses ${Object.keys(LOSSES).join(', ')}, got '${unknown}'`);
  return new Set(given.filter(isLossName));
};
