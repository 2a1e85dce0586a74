import assert from 'node:assert/strict';
import type { App } from './app.ts';

/** The state of the last check or fix. */
export const integrityState = async (app: App) => (await app.request('GET', '/database/data-integrity-results')).body.data;

/** Starts a run, and waits for its end. */
export const integrityRun = async (app: App, what: 'check' | 'fix') => {
  const started = await app.request('POST', `/database/${what}-data-integrity`);
  assert.equal(started.status, 202, started.text);
  return integrityEnd(app);
};

export const integrityEnd = async (app: App) => {
  for (;;) {
    const state = await integrityState(app);
    if (!state.inProgress) return state;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};
