/** The same data in every run: identities that carry 5 of 50 role attributes. */
let seed = 12345;
const random = (n: number): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 4294967296) * n);
};

export const attribute = (i: number): string => `at-${String(i).padStart(2, '0')}`;

export const attributes = (): string[] => {
  const chosen = new Set<string>();
  while (chosen.size < 5) chosen.add(attribute(random(50)));
  return [...chosen];
};

export const identityName = (i: number): string => `id-${String(i).padStart(6, '0')}`;

export const identityBody = (i: number) => ({
  name: identityName(i),
  type: 'Device' as const,
  isAdmin: false,
  roleAttributes: attributes(),
});
