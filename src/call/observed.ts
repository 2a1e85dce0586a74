import type { Surface } from '../contract/api/surfaces/surface.ts';
import type { Destination } from '../runtime/observability/observation.ts';
import type { Entry } from './entry.ts';

/** An operation on a surface, for observers. */
export const destinationOf = ({ group, verb, operation }: Entry, surface: Surface): Destination => ({
  operationId: operation.operationId,
  operation: `${group}.${verb}`,
  surface: surface.name,
  route: `${surface.prefix === '/' ? '' : surface.prefix}${operation.path}`,
});
