import assert from 'node:assert/strict';
import type { Answer, App } from './app.ts';
import { assertNoReason, assertRefused } from './refusals.ts';

export const person = (app: App, fields: Readonly<Record<string, unknown>> = {}) =>
  app.create('/identities', { name: `person-${Math.random()}`, type: 'User', isAdmin: false, ...fields });
export const allowed = ({ status, text }: Answer) => assert.equal(status, 200, text);
export const refused = (answer: Answer, why?: string) => {
  assertRefused(answer, 401, 'INVALID_AUTH');
  assertNoReason(answer, why);
};
