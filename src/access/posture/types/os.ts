import { osKey } from '../../../contract/api/posture-checks/os-type.ts';
import { readVersion, readVersionRange } from '../../../query/semver/range.ts';
import type { CheckType } from '../check-type.ts';
import type { Facts, PostureCheckOf } from '../facts.ts';
import { withListedVersions } from '../operating-systems.ts';

/**
 * The reported operating system must be listed, and its version must be in one of the listed ranges. Without ranges, any version passes.
 */
export const osCheck: CheckType<PostureCheckOf<'OS'>> = {
  name: 'Operating System Check',
  operatingSystems: withListedVersions('Android', 'Linux', 'Windows', 'iOS', 'macOS'),
  evaluate: ({ operatingSystems }, facts) => {
    const [type, version] = [facts.os?.type ?? '', facts.os?.version ?? ''];
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

/** Systems whose version has the build as its third number, in place of a patch level (specification, "Posture check"). */
const WITH_BUILD_NUMBER: readonly string[] = ['windows', 'windowsserver'];

const fullVersion = (reported: Facts['os']): string => {
  const [version, build] = [reported?.version ?? '', reported?.build ?? ''];
  const hasBuildNumber = WITH_BUILD_NUMBER.includes(osKey(reported?.type ?? ''));
  return hasBuildNumber && /^\d+\.\d+$/.test(version) && /^\d+$/.test(build) ? `${version}.${build}` : version;
};
