import { osName } from '../../../../api/posture-checks/os-type.ts';
import type { CheckType } from '../check-type.ts';
import type { PostureCheckOf } from '../facts.ts';
import { on } from '../operating-systems.ts';
import { satisfies, shownProcess } from '../processes.ts';

/** Checks the process that was reported under the id of the check; the reported path does not matter. */
export const processCheck: CheckType<PostureCheckOf<'PROCESS'>> = {
  name: 'Process Check',
  operatingSystems: on('Linux', 'Windows', 'macOS'),
  evaluate: ({ id, process: { osType, path, hashes, signerFingerprint } }, facts) => {
    const reported = facts.processes?.find((each) => each?.postureCheckId === id);
    return {
      isPassing: satisfies(reported, { hashes: hashes ?? [], signers: signerFingerprint ? [signerFingerprint] : [] }),
      expectedValue: { osType: osName(osType), path, hashes, ...(signerFingerprint ? { signerFingerprint } : {}) },
      actualValue: shownProcess(reported),
    };
  },
  // A patch may leave the fingerprint empty, which means no fingerprint.
  normalize: ({ process: { signerFingerprint, ...process } }) => (signerFingerprint === '' ? { process } : undefined),
  query: ({ process: { osType, path } }) => ({ process: { osType: osName(osType), path } }),
};
