import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageEnvelope } from '../../../src/contract/api/surfaces/edge-envelope.ts';
import { wholeOrParts } from '../../../src/http/answer.ts';

test('a page of large items is turned into text an item at a time, and others are served in between', async () => {
  const ITEM = 400_000;
  const data = Array.from({ length: 20 }, (_, i) => ({ i, roles: 'x'.repeat(ITEM) }));
  const text = wholeOrParts(pageEnvelope({ data, filterableFields: [], pagination: { limit: 20, offset: 0, totalCount: 20 } }));
  assert.ok(typeof text !== 'string');
  const parts: string[] = [];
  for await (const part of text) parts.push(part);
  assert.deepEqual(JSON.parse(parts.join('')).data, data);
  // The first megabyte is sent at once.
  for (const part of parts.slice(1)) assert.ok(part.length < 2 * ITEM, `${part.length} characters`);
});
