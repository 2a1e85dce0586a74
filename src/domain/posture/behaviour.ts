import { postureCheck } from '../../api/posture-checks/index.ts';
import { behaviour } from '../../resources/behaviours.ts';

export const postureCheckBehaviour = behaviour(postureCheck, { present: async (_, rows) => rows.map(() => ({ version: 1 })) });
