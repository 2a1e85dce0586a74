import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groups } from '../../../src/contract/api/index.ts';
import { codesOf, refusalsOf } from '../../../src/contract/api/kit/refusals.ts';

test('an operation refuses with its own errors, and with those that follow from what it takes, who may call it, and what its kind refers to', () => {
  const [identities, edgeRouterPolicies, enrolling] = [
    groups.identities.operations,
    groups.edgeRouterPolicies.operations,
    groups.enrolling.operations,
  ];
  assert.deepEqual(Object.fromEntries(refusalsOf(identities.list)), {
    400: ['COULD_NOT_VALIDATE', 'INVALID_FILTER', 'INVALID_SORT_IDENTIFIER'],
    401: ['UNAUTHORIZED'],
    406: ['COULD_NOT_VALIDATE'],
    429: ['SERVER_TOO_MANY_REQUESTS'],
    503: ['SERVER_UNAVAILABLE', 'TIMEOUT'],
  });
  assert.deepEqual(Object.fromEntries(refusalsOf(edgeRouterPolicies.patch)), {
    400: ['COULD_NOT_PARSE_BODY', 'COULD_NOT_VALIDATE', 'ENTITY_CAN_NOT_BE_UPDATED'],
    401: ['UNAUTHORIZED'],
    404: ['NOT_FOUND'],
    406: ['COULD_NOT_VALIDATE'],
    408: ['TIMEOUT'],
    409: ['ACCESS_LOST', 'POLICY_TESTS_BROKEN', 'CONFLICT', 'QUOTA_EXCEEDED'],
    412: ['PRECONDITION_FAILED'],
    413: ['REQUEST_ENTITY_TOO_LARGE'],
    415: ['COULD_NOT_VALIDATE'],
    429: ['SERVER_TOO_MANY_REQUESTS'],
    503: ['SERVER_UNAVAILABLE', 'TIMEOUT'],
  });
  assert.deepEqual(refusalsOf(enrolling.extendRouter).get(401), ['UNAUTHORIZED'], 'without a client certificate');
  assert.deepEqual(refusalsOf(enrolling.ott).get(415), ['UNSUPPORTED_MEDIA']);
  assert.equal(refusalsOf(enrolling.ott).get(401), undefined);
});

test('each code of an operation is listed once', () => {
  const codes = codesOf(groups.sessions.operations.create);
  assert.equal(new Set(codes).size, codes.length);
  assert.ok(codes.includes('INVALID_POSTURE') && codes.includes('NO_EDGE_ROUTERS_AVAILABLE'));
});
