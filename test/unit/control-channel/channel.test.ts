import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AcceptOptions, acceptChannel, RefusedHello } from '../../../src/fabric/control-channel/accept.ts';
import { createBudget } from '../../../src/fabric/control-channel/budget.ts';
import type { Channel, OwnedChannel } from '../../../src/fabric/control-channel/channel.ts';
import { encodeFrame, type Frame } from '../../../src/fabric/control-channel/frame.ts';
import { createFrameReader } from '../../../src/fabric/control-channel/frame-reader.ts';
import { type Header, header, headersOf } from '../../../src/fabric/control-channel/header-fields.ts';
import { Malformed } from '../../../src/fabric/control-channel/malformed.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { utf8 } from '../../../src/fabric/control-channel/primitives.ts';
import { Unanswered } from '../../../src/fabric/control-channel/requests.ts';
import { frozenClock } from '../../support/clock.ts';

const { hello, ping, result, latency, heartbeat, reconnectPing } = messages.channel;
const { inspectRequest, inspectResponse, alerts } = messages.routers;

const bytesOf = (contentType: number, sequence: number, headers: readonly Header[] = [], body: Uint8Array = new Uint8Array()): Uint8Array =>
  encodeFrame({ contentType, sequence, headers: headersOf(headers), body });

const HELLO = bytesOf(hello.contentType, -1, [header.version.of('v1.7.2')], utf8('r1'));

/** A channel that is connected to, and what it has sent. */
const begin = (options: Partial<AcceptOptions> = {}) => {
  const clock = frozenClock();
  const reader = createFrameReader({ headers: 1e6, body: 1e8 });
  const sent: Frame[] = [];
  const handled: Frame[] = [];
  const notes: string[] = [];
  const wire = { kept: 0, isEnded: false, drained: (): void => undefined };
  let channel: Channel | undefined;
  const accepted = acceptChannel({
    clock,
    wire: {
      write: (bytes) => void sent.push(...reader.read(bytes)),
      get buffered() {
        return wire.kept;
      },
      drained: () =>
        new Promise((resolve) => {
          wire.drained = resolve;
        }),
      end: () => {
        wire.isEnded = true;
      },
    },
    admit: async () => ({ headers: [header.id.of('controller')], budget: createBudget(clock) }),
    opened: (opened) => {
      channel = opened;
    },
    take: (frame) => () => void handled.push(frame),
    note: (message) => void notes.push(message),
    ...options,
  });
  const come = (...frames: readonly Uint8Array[]) => accepted.received(Buffer.concat(frames));
  return {
    clock,
    sent,
    handled,
    notes,
    wire,
    accepted,
    come,
    open: async (): Promise<Channel> => {
      await come(HELLO);
      sent.length = 0;
      return channel ?? assert.fail('it was not opened');
    },
    /** Why it has ended. */
    get end(): string | undefined {
      return accepted.signal.reason?.message;
    },
  };
};

/** The connections of one channel, before their hellos. */
const twoConnections = () => {
  let owned: OwnedChannel | undefined;
  const budget = createBudget(frozenClock());
  const first = begin({
    admit: async (_hello, channel) => {
      owned = channel;
      return { headers: [], budget };
    },
  });
  const second = begin({ admit: async () => ({ headers: [], budget, priority: 'high', ...(owned && { joined: owned }) }) });
  return [first, second] as const;
};

const typesOf = (frames: readonly Frame[]) => frames.map(({ contentType }) => contentType);

describe('the hello', () => {
  test('is answered with a result that has its number and the headers of the one who admits', async () => {
    const { come, sent } = begin();
    await come(HELLO);
    const [answer] = sent;
    assert.ok(answer && sent.length === 1);
    assert.deepEqual([answer.contentType, answer.sequence], [result.contentType, -1]);
    assert.deepEqual([header.replyFor.in(answer), header.success.in(answer), header.id.in(answer)], [-1, true, 'controller']);
  });

  test('may come byte by byte, and be followed at once', async () => {
    const one = begin();
    for (const byte of HELLO) await one.accepted.received(Uint8Array.of(byte));
    assert.equal(one.sent.length, 1);
    const { come, sent } = begin();
    await come(HELLO, bytesOf(ping.contentType, 1));
    assert.deepEqual(typesOf(sent), [result.contentType, result.contentType]);
  });

  test('is waited for during five seconds', async () => {
    const late = begin();
    await late.come(HELLO.subarray(0, 30));
    late.clock.advance('4999ms');
    assert.equal(late.end, undefined);
    late.clock.advance('1ms');
    assert.deepEqual([late.end, late.wire.isEnded], ['it sent no hello within 5 s', true]);
    const intime = begin();
    await intime.open();
    intime.clock.advance('9s');
    assert.equal(intime.end, undefined);
  });

  test('comes first, and once', async () => {
    const before = begin();
    await before.come(bytesOf(ping.contentType, 1), HELLO);
    assert.deepEqual([before.end, before.sent], ['it sent a message of type 1 before its hello', []]);
    const twice = begin();
    await twice.come(HELLO, HELLO);
    assert.equal(twice.end, 'it sent a second hello');
  });

  test('has some kilobytes at most', async () => {
    const { come, end, sent } = begin();
    assert.deepEqual([end, sent], [undefined, []]);
    const large = begin();
    await large.come(bytesOf(hello.contentType, -1, [], new Uint8Array(4193)).subarray(0, 20));
    assert.equal(large.end, 'a frame of type 0 has a body of 4193 bytes');
    await come(bytesOf(hello.contentType, -1, [], new Uint8Array(4192)));
    assert.equal(sent.length, 1);
  });

  test('that is refused is answered with the reason, and the connection ends', async () => {
    const { come, sent, wire, ...rest } = begin({
      admit: async () => {
        throw new RefusedHello('the router is disabled');
      },
    });
    await come(HELLO, bytesOf(ping.contentType, 1));
    const [answer] = sent;
    assert.ok(answer && sent.length === 1);
    assert.deepEqual([header.success.in(answer), result.decode(answer.body), wire.isEnded], [false, 'the router is disabled', true]);
    assert.equal(rest.accepted.signal.reason.message, 'the router is disabled');
  });

  test('that cannot be judged is refused without saying why', async () => {
    const { come, sent, notes } = begin({
      admit: async () => {
        throw new TypeError('secret');
      },
    });
    await come(HELLO);
    assert.deepEqual(
      [result.decode(sent[0]?.body ?? assert.fail()), notes],
      ['try again later', ['a router was not admitted because of an error; it may try again']],
    );
  });
});

describe('a channel', () => {
  test('numbers its frames from one', async () => {
    const { open, sent } = begin();
    const channel = await open();
    channel.send(alerts, {});
    channel.send(alerts, {});
    assert.deepEqual(
      sent.map(({ sequence }) => sequence),
      [1, 2],
    );
  });

  test('gives a request its answer, whatever comes in between', async () => {
    const { open, come, sent, handled } = begin();
    const channel = await open();
    const [one, two] = [channel.request(inspectRequest, { requestedValues: ['a'] }), channel.request(inspectRequest, {})];
    assert.deepEqual(inspectRequest.decode(sent[0]?.body ?? assert.fail()), { requestedValues: ['a'] });
    await come(
      bytesOf(inspectResponse.contentType, 1, [header.replyFor.of(2)], inspectResponse.encode({ success: true })),
      bytesOf(alerts.contentType, 2),
      bytesOf(inspectResponse.contentType, 3, [header.replyFor.of(1)]),
    );
    assert.deepEqual([(await one).sequence, (await two).sequence], [3, 1]);
    assert.deepEqual(typesOf(handled), [alerts.contentType]);
  });

  test('forgets a request after its time: a late answer is noted, and does nothing', async () => {
    const { open, come, clock, notes, end } = begin();
    const channel = await open();
    const request = channel.request(inspectRequest, {}, { milliseconds: 2000 });
    clock.advance('2s');
    await assert.rejects(request, new Unanswered('there was no answer for 2 s'));
    await come(bytesOf(inspectResponse.contentType, 1, [header.replyFor.of(1)]));
    await come(bytesOf(inspectResponse.contentType, 2, [header.replyFor.of(99)]));
    assert.deepEqual(
      [notes, end],
      [['an answer without a pending request was ignored', 'an answer without a pending request was ignored'], undefined],
    );
  });

  test('tells those that wait for answers when it ends, and sends nothing more', async () => {
    const { open, accepted } = begin();
    const channel = await open();
    const request = channel.request(inspectRequest, {});
    accepted.close();
    await assert.rejects(request, /the connection was lost/);
    assert.throws(() => channel.send(alerts, {}), /the connection was lost/);
    await assert.rejects(channel.request(inspectRequest, {}), /the connection was lost/);
    channel.close('again');
    assert.equal(accepted.signal.reason.message, 'the connection was lost');
  });

  test('ends its connection when the server closes it, and when it was lost', async () => {
    for (const reason of ['the server was closed', 'the connection was lost']) {
      const { open, accepted, wire } = begin();
      const { signal } = await open();
      accepted.close(reason);
      assert.deepEqual([signal.reason?.message, wire.isEnded], [reason, true]);
    }
  });

  test('answers pings and measurements of time, with the headers that are to be copied', async () => {
    const { open, come, sent, handled } = begin();
    await open();
    const probe: Header = [128, Uint8Array.of(1, 2)];
    await come(bytesOf(ping.contentType, 5), bytesOf(latency.contentType, 6, [probe]), bytesOf(reconnectPing.contentType, 7));
    assert.deepEqual(
      sent.map((frame) => [frame.contentType, header.replyFor.in(frame), header.success.in(frame), frame.headers.get(128)]),
      [
        [result.contentType, 5, true, undefined],
        [result.contentType, 6, true, probe[1]],
      ],
    );
    assert.deepEqual(handled, []);
  });

  test('says of a request whether it was done', async () => {
    const { open, come, sent, handled } = begin();
    const channel = await open();
    await come(bytesOf(alerts.contentType, 9));
    channel.sendResult(handled[0] ?? assert.fail(), false, 'not now');
    const [answer = assert.fail()] = sent;
    assert.deepEqual([header.replyFor.in(answer), header.success.in(answer), result.decode(answer.body)], [9, false, 'not now']);
  });

  test('ends with a message that is malformed, and survives what fails otherwise', async () => {
    const failing = begin({
      take:
        ({ sequence }) =>
        () => {
          throw sequence === 1 ? new TypeError('a fault of ours') : new Malformed('a field is longer than its message');
        },
    });
    await failing.open();
    await failing.come(bytesOf(alerts.contentType, 1));
    await Promise.resolve();
    assert.deepEqual([failing.end, failing.notes], [undefined, ['a message of a router could not be handled']]);
    await failing.come(bytesOf(alerts.contentType, 2));
    await Promise.resolve();
    assert.equal(failing.end, 'a field is longer than its message');
    const garbled = begin();
    await garbled.open();
    await garbled.come(Buffer.from('what is this?'));
    assert.equal(garbled.end, 'the bytes received are not a frame');
    const badHeader = begin();
    await badHeader.open();
    await badHeader.come(bytesOf(alerts.contentType, 1, [[1, Uint8Array.of(1)]]));
    assert.equal(badHeader.end, 'a header has 1 bytes instead of 4');
  });

  test('reads no more while 64 messages are worked on', async () => {
    const work: (() => void)[] = [];
    const { open, come } = begin({ take: () => () => new Promise<void>((done) => work.push(done)) });
    await open();
    await come(...Array.from({ length: 64 }, (_, i) => bytesOf(alerts.contentType, i)));
    await Promise.resolve();
    assert.equal(work.length, 64);
    let isRead = false;
    const more = come(bytesOf(alerts.contentType, 65)).then(() => {
      isRead = true;
    });
    await new Promise(setImmediate);
    assert.deepEqual([isRead, work.length], [false, 64]);
    work[0]?.();
    await more;
    await new Promise(setImmediate);
    assert.equal(work.length, 65);
  });

  test('reads no more while much waits for a slow reader', async () => {
    const { open, wire, come, handled } = begin();
    await open();
    wire.kept = 16_777_216;
    await come(bytesOf(alerts.contentType, 1));
    assert.equal(handled.length, 1);
    wire.kept++;
    const coming = come(bytesOf(alerts.contentType, 2), bytesOf(alerts.contentType, 3));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(handled.length, 1);
    wire.kept = 0;
    wire.drained();
    await coming;
    assert.equal(handled.length, 3);
  });

  test('ends when too much waits for a slow reader', async () => {
    const { open, wire, accepted } = begin();
    const channel = await open();
    wire.kept = 67_108_864;
    channel.send(alerts, {});
    assert.equal(accepted.signal.aborted, false);
    wire.kept++;
    channel.send(alerts, {});
    assert.equal(accepted.signal.reason.message, 'it reads too slowly');
  });
});

describe('heartbeats', () => {
  const beats = (sent: readonly Frame[]) => sent.filter((frame) => header.heartbeat.in(frame) !== undefined);

  test('are answered with the bytes that they have, also those on other messages', async () => {
    const { open, come, sent, handled } = begin();
    await open();
    const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    await come(
      bytesOf(heartbeat.contentType, 1, [header.heartbeat.of(bytes)]),
      bytesOf(alerts.contentType, 2, [header.heartbeat.of(bytes)]),
    );
    assert.deepEqual(
      sent.map((frame) => [frame.contentType, header.heartbeatAnswer.in(frame)]),
      [
        [heartbeat.contentType, bytes],
        [heartbeat.contentType, bytes],
      ],
    );
    assert.deepEqual(typesOf(handled), [alerts.contentType]);
  });

  test('are sent every ten seconds; the channel ends when none was answered for 30 seconds', async () => {
    const { open, come, clock, sent, accepted } = begin();
    await open();
    const answer = () => come(bytesOf(alerts.contentType, 1, [header.heartbeatAnswer.of(new Uint8Array(8))]));
    for (let i = 0; i < 6; i++) {
      clock.advance('10s');
      await answer();
    }
    assert.equal(beats(sent).length, 6);
    assert.equal(header.heartbeat.in(beats(sent)[0] ?? assert.fail())?.length, 8);
    clock.advance('39s');
    assert.equal(accepted.signal.aborted, false);
    clock.advance('1s');
    assert.equal(accepted.signal.reason.message, 'it has not answered a heartbeat for 30 s');
    clock.advance('1h');
    assert.equal(beats(sent).length, 9);
  });

  test('may first be answered after 60 seconds', async () => {
    const { open, clock, accepted } = begin();
    await open();
    clock.advance('69s');
    assert.equal(accepted.signal.aborted, false);
    clock.advance('1s');
    assert.equal(accepted.signal.reason.message, 'it has not answered a heartbeat for 60 s');
  });

  test('check each connection of a channel: one that is silent ends, and the other carries everything', async () => {
    const [first, second] = twoConnections();
    await first.open();
    await second.come(HELLO);
    const counts = new Map([first, second].map((of) => [of, 0]));
    /** Lets seconds pass. The other end answers over its first connection, whichever it hears. */
    const pass = async (seconds: number, hears: readonly (typeof first)[]) => {
      for (let i = 0; i < seconds; i++) {
        first.clock.advance('1s');
        for (const of of counts.keys()) {
          const all = beats(of.sent);
          const [beat] = all.length > (counts.get(of) ?? 0) && hears.includes(of) ? all.slice(-1) : [];
          counts.set(of, all.length);
          if (beat) await first.come(bytesOf(alerts.contentType, 1, [header.heartbeatAnswer.of(header.heartbeat.required(beat))]));
        }
      }
    };
    await pass(120, [first, second]);
    assert.deepEqual([...counts.values()], [12, 11]);
    await pass(50, [first]);
    assert.deepEqual([second.wire.isEnded, first.wire.isEnded, first.end], [true, false, undefined]);
    const before = beats(first.sent).length;
    await pass(100, [first]);
    assert.deepEqual([beats(first.sent).length - before, first.end], [10, undefined]);
    await pass(50, []);
    assert.equal(first.end, 'it has not answered a heartbeat for 30 s');
  });
});
