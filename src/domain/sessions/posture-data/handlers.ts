import { postureResponses } from '../../../api/posture-responses.ts';
import { implement } from '../../../call/implement.ts';
import { reportPosture } from './report.ts';

export const postureResponseEntries = implement(postureResponses, {
  create: (call, { body }) => reportPosture(call, [body]),
  createBulk: (call, { body }) => reportPosture(call, body),
});
