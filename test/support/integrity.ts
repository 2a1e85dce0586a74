import assert from 'node:assert/strict';
import type { KindName } from '../../src/contract/api/index.ts';
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

/** Changes fields of a row without anybody noticing. */
export const falsify = (app: App, kind: KindName, id: string, fields: Readonly<Record<string, unknown>>) =>
  app.tamper(async (tx) => {
    const row = await tx.get(kind === 'edgeRouter' ? 'router' : kind, id);
    assert.ok(row);
    await tx.update(kind === 'edgeRouter' ? 'router' : kind, { ...row, ...fields }, row.version);
  });
