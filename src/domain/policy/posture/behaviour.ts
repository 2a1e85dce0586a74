import { postureCheckType } from '../../../api/posture-check-types.ts';
import { postureCheck } from '../../../api/posture-checks/index.ts';
import { behaviour } from '../../../call/behaviour.ts';

export const postureCheckBehaviour = behaviour(postureCheck, {
  check: async (_, after) => {
    // A patch may leave the fingerprint of a process empty, which is none.
    if (!('process' in after) || after.process.signerFingerprint !== '') return undefined;
    const { signerFingerprint: _none, ...process } = after.process;
    return { process };
  },
  present: async (_, rows) => rows.map(() => ({ version: 1 })),
});

export const postureCheckTypeBehaviour = behaviour(postureCheckType, { present: async (_, rows) => rows.map(() => ({ version: '1' })) });
