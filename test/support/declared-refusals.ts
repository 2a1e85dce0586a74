import assert from 'node:assert/strict';
import { refusalsOf } from '../../src/api/kit/refusals.ts';
import { entries } from '../../src/domain/entries.ts';
import { createRouter } from '../../src/http/router.ts';
import type { Answer } from './app.ts';

const route = createRouter(entries);

/** Whatever a test asks for: the operation, if the request came to one, declares the status and the code that refuse it. 500 is no refusal. */
export const assertDeclaredRefusal = (method: string, target: string, { status, body, text }: Answer): void => {
  const found = status >= 400 && status !== 500 ? route(method, target.split('?')[0] ?? '') : undefined;
  if (found?.is !== 'found') return;
  const { operation } = found.entry;
  const codes = refusalsOf(operation).get(status) ?? [];
  assert.ok(codes.includes(body?.error.code), `${operation.operationId} does not declare this refusal: ${status} ${text}`);
};
