import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../../src/contract/errors/index.ts';
import { countUnread, heldBody } from '../../../src/http/held-body.ts';
import type { CoreAnswer } from '../../../src/http/message.ts';
import { type AnswerLimits, createUnreadAnswers, type UnreadAnswers } from '../../../src/http/unread-answers.ts';

const NEVER = () => new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Answers that note which of them were broken off. */
const ground = (limits: AnswerLimits = {}) => {
  const unread = createUnreadAnswers(limits);
  const broken: string[] = [];
  const answer = (client: string, name: string, bytes: number) => {
    const opened = unread.open(client, () => broken.push(name));
    opened.add(bytes);
    return opened;
  };
  return { unread, broken, answer };
};

test('beyond the limit of all, the client that holds most loses what has stalled longest', () => {
  const { broken, answer } = ground({ maxUnreadBytes: 100 });
  const first = answer('a', 'a1', 30);
  answer('a', 'a2', 30);
  answer('b', 'b1', 20);
  first.take(5);
  answer('b', 'b2', 30);
  assert.deepEqual(broken, ['a2'], 'a1 has made progress since');
  answer('c', 'c1', 60);
  assert.deepEqual(broken, ['a2', 'c1'], 'now it is the largest itself');
});

test('a single answer may be larger than the limit', () => {
  const { broken, answer } = ground({ maxUnreadBytes: 100 });
  const large = answer('a', 'large', 90);
  large.add(90);
  assert.deepEqual(broken, []);
  answer('b', 'small', 1);
  assert.deepEqual(broken, ['large']);
});

test('pages of one client are made some at a time, and those of another at once', async () => {
  const { unread } = ground();
  const made = [];
  for (let i = 0; i < 8; i++) made.push(await unread.admit('a', NEVER));
  let admitted = 0;
  for (let i = 0; i < 3; i++) void Promise.resolve(unread.admit('a', NEVER)).then(() => admitted++);
  assert.equal(typeof unread.admit('b', NEVER), 'function');
  await turn();
  assert.equal(admitted, 0);
  made[0]?.();
  made[0]?.();
  await turn();
  assert.equal(admitted, 1, 'a permit that is given back twice counts once');
  made[1]?.();
  made[2]?.();
  await turn();
  assert.equal(admitted, 3);
});

test('a client that has not read what it was given waits until it has, or until that was taken from it', async () => {
  const { unread, broken, answer } = ground({ maxUnreadBytesPerSession: 100, stalledAnswerMs: 50 });
  const read = answer('a', 'read', 60);
  answer('a', 'unread', 60);
  const waiting = unread.admit('a', NEVER);
  assert.ok(waiting instanceof Promise);
  read.take(30);
  (await waiting)();
  assert.deepEqual(broken, [], 'some was read');
  read.add(30);
  const again = unread.admit('a', NEVER);
  assert.ok(again instanceof Promise);
  (await again)();
  assert.deepEqual(broken, ['unread'], 'it has stalled longest');
});

test('only so many requests of a client wait for it to read, and each for as long as it likes', async () => {
  const { unread, answer } = ground({ maxUnreadBytesPerSession: 10, stalledAnswerMs: 60_000 });
  const opened = answer('a', 'unread', 10);
  const leaving = new AbortController();
  const left = assert.rejects(async () => unread.admit('a', () => leaving.signal), { message: 'gone' });
  const waiting = Array.from({ length: 15 }, () => unread.admit('a', NEVER));
  assert.throws(
    () => unread.admit('a', NEVER),
    (error) => error instanceof ApiError && error.code === 'SERVER_TOO_MANY_REQUESTS' && (error.retryAfter ?? 0) > 0,
  );
  leaving.abort(new Error('gone'));
  await left;
  waiting.push(unread.admit('a', NEVER));
  opened.end();
  for (const each of waiting) (await each)();
  assert.equal(typeof unread.admit('a', NEVER), 'function');
});

/** What a client does with one of its answers. */
const step = fc.record({
  client: fc.constantFrom('a', 'b', 'c'),
  answer: fc.nat({ max: 3 }),
  does: fc.constantFrom('add', 'add', 'take', 'end'),
  bytes: fc.integer({ min: 1, max: 60 }),
});

test('whatever is asked for and read, no more is held than may be, and a client that holds least loses nothing', () => {
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const unread = createUnreadAnswers({ maxUnreadBytes: 100 });
    const held = new Map<string, { readonly client: string; bytes: number; readonly answer: ReturnType<UnreadAnswers['open']> }>();
    const sums = () => Map.groupBy(held.values(), ({ client }) => client);
    const sumOf = (client: string) => (sums().get(client) ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { client, answer: number, does, bytes } of steps) {
      const name = `${client}${number}`;
      const known = held.get(name);
      if (does === 'add') {
        const entry = known ?? {
          client,
          bytes: 0,
          answer: unread.open(client, () => {
            for (const other of sums().keys()) assert.ok(sumOf(client) >= sumOf(other), `${client} lost to ${other}`);
            held.delete(name);
          }),
        };
        held.set(name, entry);
        entry.bytes += bytes;
        entry.answer.add(bytes);
      } else if (known && does === 'take') {
        const part = Math.min(bytes, known.bytes);
        known.bytes -= part;
        if (known.bytes === 0) held.delete(name);
        known.answer.take(part);
        if (known.bytes === 0) known.answer.end();
      } else if (known) {
        held.delete(name);
        known.answer.end();
      }
      const all = [...held.values()].reduce((sum, each) => sum + each.bytes, 0);
      assert.ok(all <= 100 || held.size === 1, `${all} bytes of ${held.size} answers`);
    }
  });
  fc.assert(property, { numRuns: 500 });
});

const textOf = async (body: CoreAnswer['body']): Promise<string> => {
  assert.ok(typeof body === 'object' && !(body instanceof Uint8Array));
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body) text += decoder.decode(part, { stream: true });
  return text;
};

test('a large text is sent in parts, as it is and with its length; a short one whole', async () => {
  const unread = createUnreadAnswers();
  const text = 'é😀'.repeat(50_000);
  const sent = countUnread({ status: 200, headers: { 'x-a': 'b' }, body: text }, unread, 'a');
  assert.deepEqual(sent.headers, { 'x-a': 'b', 'content-length': String(Buffer.byteLength(text)) });
  assert.equal(await textOf(sent.body), text);
  assert.equal(countUnread({ status: 200, headers: {}, body: 'short' }, unread, 'a').body, 'short');
});

test('what was made of a body before it failed is not taken for the whole of it', async () => {
  const held = heldBody(createUnreadAnswers(), 'a');
  held.add(new Uint8Array(10));
  held.end(new Error('not made'));
  await assert.rejects(textOf(held.body), { message: 'not made' });
});

test('a body that is broken off throws its rest away, and says so to who sends it', async () => {
  const unread = createUnreadAnswers({ maxUnreadBytes: 1000 });
  const held = heldBody(unread, 'a');
  held.add(new Uint8Array(900));
  const parts = held.body[Symbol.asyncIterator]();
  unread.open('b', () => undefined).add(200);
  assert.equal(held.signal.aborted, true);
  assert.equal(held.isOver, true);
  await assert.rejects(parts.next(), { name: 'Unread' });
});

test('the part of a stream that its client has not taken counts, and ends it when others need the room', async () => {
  const unread = createUnreadAnswers({ maxUnreadBytes: 100 });
  let isOver = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(60);
    } finally {
      isOver = true;
    }
  }
  const { body, signal } = countUnread({ status: 200, headers: {}, body: endless() }, unread, 'a');
  assert.ok(typeof body === 'object' && !(body instanceof Uint8Array));
  const parts = body[Symbol.asyncIterator]();
  for (let i = 0; i < 5; i++) await parts.next();
  assert.equal(signal?.aborted, false, 'what was taken does not count');
  unread.open('b', () => undefined).add(50);
  assert.equal(signal?.aborted, true);
  await assert.rejects(parts.next(), { name: 'Unread' });
  assert.equal(isOver, true);
});
