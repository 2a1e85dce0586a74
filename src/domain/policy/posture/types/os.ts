import { osKey } from '../../../../api/posture-checks/os-type.ts';
import { readVersion, readVersionRange } from '../../../../semver/range.ts';
import type { CheckType } from '../check-type.ts';
import type { Facts, PostureCheckOf } from '../facts.ts';
import { on } from '../operating-systems.ts';

/** The operating system that the endpoint reported must be listed, and its version be in one of the ranges; without ranges, any version passes. */
export const osCheck: CheckType<PostureCheckOf<'OS'>> = {
  name: 'Operating System Check',
  operatingSystems: on('Android', 'Linux', 'Windows', 'iOS', 'macOS'),
  evaluate: ({ operatingSystems }, facts) => {
    const { type, version } = { type: facts.os?.type ?? '', version: facts.os?.version ?? '' };
    const listed = operatingSystems.find((system) => osKey(system.type) === osKey(type));
    return {
      isPassing: listed !== undefined && (!listed.versions?.length || isInAnyRange(listed.versions, facts.os)),
      expectedValue: operatingSystems,
      actualValue: { type, version },
    };
  },
};

const isInAnyRange = (ranges: readonly string[], reported: Facts['os']): boolean => {
  const version = readVersion(fullVersion(reported));
  return version !== undefined && ranges.some((range) => readVersionRange(range)?.(version));
};

/** Systems that count builds instead of patches: the build is the third number (specification, "Posture check"). */
const WITHOUT_PATCH_LEVEL: readonly string[] = ['windows', 'windowsserver'];

const fullVersion = (reported: Facts['os']): string => {
  const { version, build } = { version: reported?.version ?? '', build: reported?.build ?? '' };
  const countsBuilds = WITHOUT_PATCH_LEVEL.includes(osKey(reported?.type ?? ''));
  return countsBuilds && /^\d+\.\d+$/.test(version) && /^\d+$/.test(build) ? `${version}.${build}` : version;
};
