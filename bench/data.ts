/**
 * The same data in every run, of the shape of a large network: identities that carry 5 of 50 role attributes, services that carry 3 of
 * 50 and, one in ten, the attribute `tenth`, and policies (AllOf) that ask for two attributes of identities and one of services.
 */
let seed = 12345;
const random = (n: number): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 4294967296) * n);
};

const some = (stem: string, count: number): string[] => {
  const chosen = new Set<string>();
  while (chosen.size < count) chosen.add(`${stem}-${String(random(50)).padStart(2, '0')}`);
  return [...chosen];
};

export interface Size {
  readonly identities: number;
  readonly services: number;
  readonly policies: number;
}

export const identityAttribute = (i: number): string => `at-${String(i).padStart(2, '0')}`;
export const identityAttributes = (): string[] => some('at', 5);
export const identityName = (i: number): string => `id-${String(i).padStart(6, '0')}`;
export const serviceName = (i: number): string => `svc-${String(i).padStart(5, '0')}`;

export const identityBody = (i: number) => ({
  name: identityName(i),
  type: 'Device' as const,
  isAdmin: false,
  roleAttributes: identityAttributes(),
});

export const serviceBody = (i: number, configs: readonly string[]) => ({
  name: serviceName(i),
  encryptionRequired: true,
  roleAttributes: [...some('sv', 3), ...(i % 10 === 0 ? ['tenth'] : [])],
  configs: [...configs],
});

export const policyBody = (i: number) => ({
  name: `pol-${i}`,
  type: i % 3 === 2 ? ('Bind' as const) : ('Dial' as const),
  semantic: 'AllOf' as const,
  identityRoles: some('at', 2).map((attribute) => `#${attribute}`),
  serviceRoles: some('sv', 1).map((attribute) => `#${attribute}`),
});
