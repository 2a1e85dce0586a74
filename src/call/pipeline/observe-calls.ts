import { Observation } from '../../runtime/observability/observation.ts';
import type { Observer } from '../../runtime/observability/observer.ts';
import type { Invoke } from '../entry.ts';
import { destinationOf } from '../observed.ts';

/**
 * Observes in-process calls; the HTTP handler observes requests itself.
 * @param observer if undefined, `invoke` is returned unchanged
 */
export const observeCalls = (invoke: Invoke, observer: Observer | undefined): Invoke => {
  if (!observer) return invoke;
  return async (entry, source) => {
    const { requestId, signal, surface, credentials } = source;
    const { method } = entry.operation;
    const observation = new Observation(observer, { requestId, transport: 'process', method, remoteAddress: '' });
    observation.setDestination(destinationOf(entry, surface), credentials.kind === 'token');
    try {
      const result = await invoke(entry, { ...source, observation });
      observation.end(result.isAccepted ? 202 : entry.operation.status);
      return result;
    } catch (error) {
      observation.endWithError(error, signal?.aborted === true);
      throw error;
    }
  };
};
