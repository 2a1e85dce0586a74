import { osName } from '../../../contract/api/posture-checks/os-type.ts';
import type { CheckType } from '../check-type.ts';
import type { PostureCheckOf } from '../facts.ts';
import { withListedVersions } from '../operating-systems.ts';
import { meetsRequirements, presentProcess } from '../processes.ts';

/** Checks the process that the endpoint reported for this check. The reported path is ignored. */
export const processCheck: CheckType<PostureCheckOf<'PROCESS'>> = {
  name: 'Process Check',
  operatingSystems: withListedVersions('Linux', 'Windows', 'macOS'),
  evaluate: ({ id, process: { osType, path, hashes, signerFingerprint } }, facts) => {
    const reported = facts.processes?.find((each) => each?.postureCheckId === id);
    return {
      isPassing: meetsRequirements(reported, { hashes: hashes ?? [], signers: signerFingerprint ? [signerFingerprint] : [] }),
      expectedValue: { osType: osName(osType), path, hashes, ...(signerFingerprint ? { signerFingerprint } : {}) },
      actualValue: presentProcess(reported),
    };
  },
  // A patch may set the fingerprint to an empty text to remove it.
  normalize: ({ process: { signerFingerprint, ...process } }) => (signerFingerprint === '' ? { process } : undefined),
  query: ({ process: { osType, path } }) => ({ process: { osType: osName(osType), path } }),
};
