import {
  isNetworkEventKind,
  type NetworkEvent,
  type NetworkEventKind,
  networkEventDeclaration,
  networkEventKinds,
  type ToldEvent,
} from '../../contract/network-events/kinds.ts';
import { describeUnknown } from '../../contract/options.ts';
import { isoTime } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';

/** A kind and its event. As a union, so that literals keep their types. */
type Emitted = { readonly [K in NetworkEventKind]: [kind: K, told: () => ToldEvent<K>] }[NetworkEventKind];

type Listener<K extends NetworkEventKind> = (event: NetworkEvent<K>) => unknown;

/** Listeners for events of the network. */
export interface NetworkEventListeners {
  /**
   * Calls a function for every later event of a kind. The return value is not awaited; if the function throws or rejects, the error is
   * logged, and the other listeners still run. Events are not stored: `api.changes` lists and follows changes of entities.
   *
   * ```ts
   * controller.networkEvents.on('circuit', ({ event_type, service_id }) => console.log(event_type, service_id));
   * ```
   * @throws TypeError for an unknown kind
   */
  on<K extends NetworkEventKind>(kind: K, listener: Listener<K>): void;
  /** Removes a listener. Has no effect if the function is not listening. */
  off<K extends NetworkEventKind>(kind: K, listener: Listener<K>): void;
}

/** The events of the network, from their sources to their listeners. */
export interface NetworkEvents extends NetworkEventListeners {
  /** True if there is a listener for the kind: without one, sources need not prepare events. */
  isHeard(kind: NetworkEventKind): boolean;
  /**
   * Emits an event.
   * @param told called only if there is a listener
   */
  emit(...[kind, told]: Emitted): void;
  /**
   * Registers a source that works only while someone listens to one of these kinds.
   * @param start begins its work, and returns a function that stops it
   */
  whileHeard(kinds: readonly NetworkEventKind[], start: () => () => void): void;
  /** The event that `emit` would emit. */
  eventOf(...[kind, told]: Emitted): NetworkEvent;
}

/** @param sourceId id of the controller */
export const createNetworkEvents = ({ clock, logger }: Pick<Platform, 'clock' | 'logger'>, sourceId: string): NetworkEvents => {
  const listeners = new Map<NetworkEventKind, Set<(event: NetworkEvent) => unknown>>();
  const listenersOf = (kind: NetworkEventKind) => {
    if (!isNetworkEventKind(kind))
      throw new TypeError(`there are no network events ${describeUnknown(kind, Object.keys(networkEventKinds))}`);
    const existing = listeners.get(kind) ?? new Set();
    listeners.set(kind, existing);
    return existing;
  };
  const call = async (listener: (event: NetworkEvent) => unknown, event: NetworkEvent) => listener(event);
  const sources: { readonly kinds: readonly NetworkEventKind[]; readonly start: () => () => void; stop?: (() => void) | undefined }[] = [];
  const isHeard = (kind: NetworkEventKind): boolean => (listeners.get(kind)?.size ?? 0) > 0;
  const updateSources = (): void => {
    for (const source of sources) {
      const isNeeded = source.kinds.some(isHeard);
      // A source that listens to other kinds comes back here while it starts and stops.
      if (isNeeded && !source.stop) {
        source.stop = () => undefined;
        source.stop = source.start();
      } else if (!isNeeded && source.stop) {
        const { stop } = source;
        source.stop = undefined;
        stop();
      }
    }
  };
  const eventOf: NetworkEvents['eventOf'] = (kind, told) =>
    ordered(kind, { event_src_id: sourceId, timestamp: isoTime(clock.now()), ...told() });
  return {
    eventOf,
    // The casts are safe: listeners receive only events of the kind under which they are kept.
    on: (kind, listener) => {
      listenersOf(kind).add(listener as never);
      updateSources();
    },
    off: (kind, listener) => {
      listenersOf(kind).delete(listener as never);
      updateSources();
    },
    isHeard,
    whileHeard: (kinds, start) => {
      sources.push({ kinds, start });
      updateSources();
    },
    emit: (...emitted) => {
      const [kind] = emitted;
      const all = listeners.get(kind);
      if (!all || all.size === 0) return;
      const event = eventOf(...emitted);
      for (const listener of [...all])
        call(listener, event)
          .catch((error: unknown) => logger.error('a listener of network events failed', { kind, error: String(error) }))
          .catch(() => undefined); // the logger comes from the host, and may throw, too
    },
  };
};

/** The fields of an event in their declared order, without those that are undefined. */
const ordered = (kind: NetworkEventKind, given: Readonly<Record<string, unknown>>): NetworkEvent => {
  const { fields, namespace = kind } = networkEventDeclaration(kind);
  const event: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = name === 'namespace' ? namespace : given[name];
    if (value !== undefined) event[name] = value;
  }
  return Object.freeze(event) as unknown as NetworkEvent; // sources are typed by `ToldEvent`
};
