import type { App } from './app.ts';

export const ann = { name: 'ann', type: 'User', isAdmin: false } as const;

export interface Seen {
  readonly revision: number;
  readonly action: string;
  readonly entity: string;
  readonly entityId: string;
}

/** What the controller announces from now on, as `create identity`. */
export const listening = ({ controller }: App) => {
  const seen: Seen[] = [];
  controller.events.on('change', (change) => void seen.push(change));
  return { seen, told: () => seen.map(({ action, entity }) => `${action} ${entity}`) };
};
