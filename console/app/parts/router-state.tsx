import type { GraphRouter } from '../network-graph.ts';
import { texts } from '../texts.ts';
import { StateDot } from './state.tsx';

/** The state of a router. */
export const RouterState = ({ state }: Pick<GraphRouter, 'state'>) => (
  <StateDot text={texts.network.states[state]} isOn={state === 'online'} />
);
