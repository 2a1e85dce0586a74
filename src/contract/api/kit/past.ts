import { surfaces as allSurfaces } from '../surfaces/index.ts';
import type { Operation } from './operation.ts';

/**
 * True for an operation that is available for past states: it requires a right, and reads only data that change records contain. The fabric
 * API is excluded, because it shows current connections.
 */
export const answersPast = ({ method, permission, ofAll, answer, surfaces, presentOnly }: Operation): boolean =>
  method === 'GET' &&
  (ofAll ?? permission).includes('.') &&
  (answer.is === 'data' || answer.is === 'page') &&
  surfaces.some((surface) => surface !== allSurfaces.fabric) &&
  presentOnly !== true;
