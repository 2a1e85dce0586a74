import { surfaces as allSurfaces } from '../surfaces/index.ts';
import type { Operation } from './operation.ts';

/**
 * True for an operation that can answer as of a past state: it reads entities by a right, and nothing that change records do not contain. The fabric API shows
 * what is connected now.
 */
export const answersPast = ({ method, permission, ofAll, answer, surfaces, presentOnly }: Operation): boolean =>
  method === 'GET' &&
  (ofAll ?? permission).includes('.') &&
  (answer.is === 'data' || answer.is === 'page') &&
  surfaces.some((surface) => surface !== allSurfaces.fabric) &&
  presentOnly !== true;
