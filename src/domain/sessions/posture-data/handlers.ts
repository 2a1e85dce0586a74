import { postureResponses } from '../../../api/posture-responses.ts';
import { implement } from '../../../call/implement.ts';
import { tell } from './tell.ts';

export const postureResponseEntries = implement(postureResponses, {
  create: (call, { body }) => tell(call, [body]),
  createBulk: (call, { body }) => tell(call, body),
});
