import type { ChangeEvents } from '../../../changes/events.ts';
import type { ChangeListeners } from '../../../changes/listeners.ts';

type Change = ChangeEvents['router' | 'edgeRouter'][0];

/** Hears of changes of routers, of either kind. */
export const onRouterChange = (events: Pick<ChangeListeners, 'on'>, heard: (change: Change) => void): void => {
  for (const kind of ['router', 'edgeRouter'] as const) events.on(kind, heard);
};
