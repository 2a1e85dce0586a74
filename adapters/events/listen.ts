import type { ManagementController, NetworkEvent, NetworkEventKind } from '../../src/index.ts';

/**
 * Listens to network events of some kinds.
 * @returns a function that stops it
 * @throws TypeError for an unknown kind, in which case it listens to none
 */
export const listenToKinds = (
  networkEvents: ManagementController['networkEvents'],
  kinds: readonly NetworkEventKind[],
  listenerOf: (kind: NetworkEventKind) => (event: NetworkEvent) => void,
): (() => void) => {
  const stops: (() => void)[] = [];
  const stop = () => {
    for (const each of stops) each();
  };
  try {
    for (const kind of new Set(kinds)) {
      const listener = listenerOf(kind);
      networkEvents.on(kind, listener);
      stops.push(() => networkEvents.off(kind, listener));
    }
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
};
