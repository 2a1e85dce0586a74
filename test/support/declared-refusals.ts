import assert from 'node:assert/strict';
import { refusalsOf } from '../../src/contract/api/kit/refusals.ts';
import { surfaces } from '../../src/contract/api/surfaces/index.ts';
import { entries } from '../../src/controller/entries.ts';
import { createRouter } from '../../src/http/router.ts';
import type { Answer } from './app.ts';

const route = createRouter(entries);

/**
 * Whatever a test asks for: the operation, if the request came to one, declares the status and the code that refuse it. 500 is no refusal.
 */
export const assertDeclaredRefusal = (method: string, target: string, { status, body, text }: Answer): void => {
  const found = status >= 400 && status !== 500 ? route(method, target.split('?')[0] ?? '') : undefined;
  if (found?.is !== 'found') return;
  const { operation } = found.served.entry;
  const codes = refusalsOf(operation).get(status) ?? [];
  // Below the provider refusals have forms of their own: the words of OAuth, bare codes, pages and texts. A body of another type is 400
  // there.
  if (found.surface === surfaces.oidc)
    return void assert.ok(codes.length > 0 || status === 400, `${operation.operationId}: ${status} ${text}`);
  if (found.surface === surfaces.oidcLogin) {
    const known = body === undefined || status === 406 || codes.includes(body.code.replaceAll(' ', '_'));
    return void assert.ok(codes.length > 0 && known, `${operation.operationId} does not declare this refusal: ${status} ${text}`);
  }
  assert.ok(codes.includes(body?.error.code), `${operation.operationId} does not declare this refusal: ${status} ${text}`);
};
