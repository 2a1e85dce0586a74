import type { OperatingSystem } from '../../contract/api/posture-checks/os-type.ts';

/** The versions that clients expect in the list of check types. */
const VERSIONS = {
  Android: ['10', '11', '9'],
  Linux: ['4.14', '4.19', '5.4', '5.9'],
  Windows: ['10', '2000', '7', '8', 'Vista'],
  iOS: ['11', '12'],
  macOS: ['10.15', '11.0'],
} as const satisfies Partial<Record<OperatingSystem['type'], readonly string[]>>;

type System = keyof typeof VERSIONS;

/** Operating systems that a type of check supports, each with the versions that clients list. */
export const withListedVersions = (...types: readonly System[]): readonly OperatingSystem[] =>
  types.map((type) => ({ type, versions: VERSIONS[type] }));

/** Operating systems that a type of check supports in any version. */
export const inAnyVersion = (...types: readonly System[]): readonly OperatingSystem[] => types.map((type) => ({ type, versions: null }));
