import { behaviour } from '../../call/behaviour.ts';
import { postureCheck, postureCheckType } from '../../contract/api/kinds.ts';
import { checkTypeOf } from './check-types.ts';

export const postureCheckBehaviour = behaviour(postureCheck, {
  check: async (_, after) => checkTypeOf(after).normalize?.(after),
  present: async (_, rows) => rows.map(() => ({ version: 1 })),
});

export const postureCheckTypeBehaviour = behaviour(postureCheckType, { present: async (_, rows) => rows.map(() => ({ version: '1' })) });
