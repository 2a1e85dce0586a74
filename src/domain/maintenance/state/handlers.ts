import { state } from '../../../api/state.ts';
import { implement } from '../../../call/implement.ts';
import { applyState } from './apply.ts';
import { exportState } from './export.ts';
import { planState } from './plan.ts';

export const stateEntries = implement(state, { export: exportState, plan: planState, apply: applyState });
