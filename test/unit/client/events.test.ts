import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createParser } from '../../../client/events.ts';
import { eventStream } from '../../../src/http/event-stream.ts';

const parsed = (...parts: readonly string[]) => {
  const parse = createParser();
  return parts.flatMap((part) => parse(part));
};

test('events are read as the standard says', () => {
  assert.deepEqual(parsed('event: change\nid: 7\nretry: 1000\ndata: {"a":1}\n\n'), [
    { event: 'change', id: '7', retry: 1000, data: '{"a":1}' },
  ]);
  assert.deepEqual(parsed('data:a\r\ndata:  b\rdata\n\r\n'), [{ data: 'a\n b\n' }]);
  assert.deepEqual(parsed(':\n\n', ': a comment\nid: 8\n\n', '\n\n'), [{ id: '8' }]);
  assert.deepEqual(parsed('retry: soon\ndata: a: b\n\n', 'data: never ended'), [{ data: 'a: b' }]);
});

test('what was written is read, however it is cut', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', ':', ' ', 'é', '{'), maxLength: 5 });
  const event = fc.record(
    {
      id: fc.nat().map(String),
      event: fc.constant('change'),
      retry: fc.nat(),
      data: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
    },
    { requiredKeys: ['id'], noNullPrototype: true },
  );
  const property = fc.asyncProperty(
    fc.array(event, { maxLength: 5 }),
    fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
    async (events, sizes) => {
      async function* source() {
        yield* events;
      }
      let text = '';
      for await (const part of eventStream(source())) text += part;
      const parts: string[] = [];
      for (let at = 0; at < text.length; ) {
        const size = sizes.next().value ?? 1;
        parts.push(text.slice(at, at + size));
        at += size;
      }
      assert.deepEqual(parsed(...parts), events);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});
