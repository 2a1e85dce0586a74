import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerSentEvent } from '../../../src/contract/api/surfaces/http-output.ts';
import { eventStream } from '../../../src/http/event-stream.ts';

async function* events(...list: readonly ServerSentEvent[]): AsyncGenerator<ServerSentEvent> {
  yield* list;
}

const textOf = async (...list: readonly ServerSentEvent[]): Promise<string> => {
  let text = '';
  for await (const part of eventStream(events(...list))) text += part;
  return text;
};

test('an event is written with all that it has, and each line of its data', async () => {
  assert.equal(
    await textOf({ event: 'change', id: '7', retry: 1000, data: '{"a":1}' }),
    'event: change\nid: 7\nretry: 1000\ndata: {"a":1}\n\n',
  );
  assert.equal(await textOf({ data: 'a\nb\r\nc\rd' }, { data: '' }), 'data: a\ndata: b\ndata: c\ndata: d\n\ndata: \n\n');
});

test('data that is not text is written as JSON, and an event may have none', async () => {
  async function* mixed(): AsyncGenerator<ServerSentEvent<unknown>> {
    yield { id: '7' };
    yield { data: { a: 1 } };
  }
  let text = '';
  for await (const part of eventStream(mixed())) text += part;
  assert.equal(text, 'id: 7\n\ndata: {"a":1}\n\n');
});

test('a type or an id of several lines is refused, for it would begin a field of its own', async () => {
  for (const event of [
    { data: '', event: 'a\ndata: b' },
    { data: '', id: 'a\rb' },
    { data: '', id: 'a\0' },
  ])
    await assert.rejects(textOf(event), TypeError);
});

test('silence is filled with comments, and no event is lost', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* late(): AsyncGenerator<ServerSentEvent> {
    await promise;
    yield { data: 'late' };
  }
  const stream = eventStream(late(), 1)[Symbol.asyncIterator]();
  assert.deepEqual([await stream.next(), await stream.next()], [{ value: ':\n\n' }, { value: ':\n\n' }]);
  resolve();
  let next = await stream.next();
  while (next.value === ':\n\n') next = await stream.next();
  assert.equal(next.value, 'data: late\n\n');
  assert.equal((await stream.next()).done, true);
});
