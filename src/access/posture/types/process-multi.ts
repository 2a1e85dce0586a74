import { osName } from '../../../contract/api/posture-checks/os-type.ts';
import type { CheckType } from '../check-type.ts';
import type { PostureCheckOf } from '../facts.ts';
import { inAnyVersion } from '../operating-systems.ts';
import { meetsRequirements, presentProcess } from '../processes.ts';

/**
 * Checks the last report for the exact path of each process, even if it answered another check. All processes, or at least one, must pass,
 * depending on `semantic`.
 */
export const processMultiCheck: CheckType<PostureCheckOf<'PROCESS_MULTI'>> = {
  name: 'Process Multi Check',
  operatingSystems: inAnyVersion('Linux', 'Windows', 'macOS'),
  evaluate: ({ id, semantic, processes }, facts) => {
    const isSatisfied = ({ path, hashes, signerFingerprints }: (typeof processes)[number]): boolean =>
      meetsRequirements(
        facts.paths?.find((reported) => reported?.path === path),
        { hashes, signers: signerFingerprints },
      );
    const listed = new Set(processes.map(({ path }) => path));
    const reported = facts.paths?.filter((each) => each && (each.postureCheckId === id || (each.path && listed.has(each.path)))) ?? [];
    return {
      isPassing: semantic === 'AllOf' ? processes.length > 0 && processes.every(isSatisfied) : processes.some(isSatisfied),
      expectedValue: processes.map(({ osType, path, hashes, signerFingerprints }) => ({
        osType: osName(osType),
        path,
        hashes: hashes.length === 0 ? null : hashes,
        signerFingerprints: signerFingerprints.length === 0 ? null : signerFingerprints,
      })),
      actualValue: reported.map((each) => ({ ...presentProcess(each), path: each?.path ?? '' })),
      extraProperties: { semantic },
    };
  },
  query: ({ processes }) => ({ processes: processes.map(({ osType, path }) => ({ osType: osName(osType), path })) }),
};
