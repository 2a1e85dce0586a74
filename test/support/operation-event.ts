import type { OperationEvent } from '../../src/index.ts';

/** When operations of `operationEvent` started, ms since 1970. */
export const STARTED = Date.UTC(2026, 10, 21, 10);

/** The event of a call that succeeded, or what a test says of it. */
export const operationEvent = (event: Partial<OperationEvent>): OperationEvent => ({
  type: 'operation',
  requestId: 'r1',
  transport: 'http',
  method: 'GET',
  operationId: 'listIdentities',
  operation: 'identities.list',
  surface: 'management',
  route: '/edge/management/v1/identities',
  status: 200,
  code: undefined,
  actor: 'administrator',
  startedAt: STARTED,
  durationMs: 0,
  queuedMs: 0,
  statements: 0,
  rows: 0,
  traceparent: undefined,
  tracestate: undefined,
  ...event,
});
