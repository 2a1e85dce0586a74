/**
 * Generates the same data in every run, shaped like a large network: each identity has 5 of 50 role attributes by default, each service
 * has 3 of 50, one service in ten also has the attribute `tenth`, and policies (AllOf) require two attributes of identities and one of
 * services.
 */
let seed = 12345;
const random = (n: number): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 4294967296) * n);
};

const ATTRIBUTES = 50;

const pick = (stem: string, count: number, attributes = ATTRIBUTES): string[] => {
  const chosen = new Set<string>();
  while (chosen.size < count) chosen.add(`${stem}-${String(random(attributes)).padStart(2, '0')}`);
  return [...chosen];
};

export interface Size {
  readonly identities: number;
  readonly services: number;
  readonly policies: number;
}

export const identityAttribute = (i: number): string => `at-${String(i).padStart(2, '0')}`;
export const identityAttributes = (attributes = ATTRIBUTES): string[] => pick('at', 5, attributes);
export const identityName = (i: number): string => `id-${String(i).padStart(6, '0')}`;
export const serviceName = (i: number): string => `svc-${String(i).padStart(5, '0')}`;

export const identityBody = (i: number, attributes = ATTRIBUTES) => ({
  name: identityName(i),
  type: 'Device' as const,
  isAdmin: false,
  roleAttributes: identityAttributes(attributes),
});

export const serviceBody = (i: number, configs: readonly string[]) => ({
  name: serviceName(i),
  encryptionRequired: true,
  roleAttributes: [...pick('sv', 3), ...(i % 10 === 0 ? ['tenth'] : [])],
  configs: [...configs],
});

export const policyBody = (i: number, attributes = ATTRIBUTES) => ({
  name: `pol-${i}`,
  type: i % 3 === 2 ? ('Bind' as const) : ('Dial' as const),
  semantic: 'AllOf' as const,
  identityRoles: pick('at', 2, attributes).map((attribute) => `#${attribute}`),
  serviceRoles: pick('sv', 1).map((attribute) => `#${attribute}`),
});
