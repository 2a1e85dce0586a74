/** The losses of an adoption. Each loss has a name, and happens only if it is allowed by that name. */
export const LOSSES = {
  bounds: 'values that this release does not accept: each is replaced by the nearest valid one',
  certificates: 'certificates that cannot be read: their entities are left out',
  'claim-pointers':
    'claims of external JWT signers that are not valid JSON pointers: tokens of the signer identify nobody until it is changed',
  cluster: 'members of the former cluster that its database marks as running: all must be stopped',
  dangling: 'references to entities that do not exist: the reference is left out, and so is an entity that needs it',
  'enrollment-methods': 'enrollments by a method that this release does not know: they are left out',
  expired: 'enrollments that have expired: they are left out',
  'fabric-only': 'services known only to the fabric, which no identity can reach: they are left out, with their terminators',
  'instance-secrets': 'terminators with a secret that is not text: they are left out',
  limits:
    'values that exceed the limits of this release: kept and shown, but rejected when written back; a snapshot with them may not restore',
  nul: 'texts with the character U+0000, which databases cannot store: it is replaced by U+FFFD',
  passwords: 'passwords whose hash cannot be read: their authenticators are left out',
  permissions: 'permissions that this release does not know: their identities lose them',
  'posture-checks': 'posture checks of a type that this release does not know: they are left out, and policies no longer require them',
  unknown: 'fields that this release does not know: they are left out',
} as const;

/** The name of a loss. */
export type LossName = keyof typeof LOSSES;

export const isLossName = (name: string): name is LossName => Object.hasOwn(LOSSES, name);

/** @throws TypeError for a name that is not a loss */
export const checkedLosses = (caller: string, given: readonly string[]): ReadonlySet<LossName> => {
  const unknown = given.find((name) => !isLossName(name));
  if (unknown !== undefined) throw new TypeError(`${caller} knows the losses ${Object.keys(LOSSES).join(', ')}, got '${unknown}'`);
  return new Set(given.filter(isLossName));
};
