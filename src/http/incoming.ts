import type { Observation } from '../runtime/observability/observation.ts';
import type { CoreRequest } from './message.ts';

/** A request that is being answered. */
export interface Incoming {
  readonly id: string;
  readonly request: CoreRequest;
  readonly observation: Observation | undefined;
}
