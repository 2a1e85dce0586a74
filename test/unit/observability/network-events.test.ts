import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { isNetworkEventKind, type NetworkEvent, networkEventDeclaration } from '../../../src/contract/network-events/kinds.ts';
import { createNetworkEvents } from '../../../src/runtime/observability/network-events.ts';
import { recordedNetworkEvents } from '../../support/recorded-network-events.ts';

const hub = () => {
  const log: string[] = [];
  const logger = { error: (message: string) => void log.push(message), warn: () => undefined, info: () => undefined };
  return { log, events: createNetworkEvents({ clock: { now: () => Date.parse('2026-11-30T08:00:00Z') }, logger }, 'ctrl') };
};

for (const { kind, event } of recordedNetworkEvents)
  test(`the declaration of ${kind} has the fields of a recorded ${event.event_type ?? event.eventType ?? 'event'}, in its order`, () => {
    assert.ok(isNetworkEventKind(kind));
    const { fields, namespace = kind } = networkEventDeclaration(kind);
    assert.equal(namespace, event.namespace);
    z.strictObject(fields).parse(event);
    const declared = Object.keys(fields);
    assert.deepEqual(
      Object.keys(event),
      declared.filter((name) => name in event),
    );
  });

test('an event begins with its namespace, the id of the controller and the time; undefined fields are absent', () => {
  const { events } = hub();
  const heard: NetworkEvent[] = [];
  events.on('sdk', (event) => void heard.push(event));
  events.on('link', (event) => void heard.push(event));
  events.emit('sdk', () => ({ identity_id: 'ann', event_type: 'sdk-online' }));
  events.emit('link', () => ({ link_id: 'one', event_type: 'fault', protocol: undefined }));
  assert.deepEqual(
    heard.map((event) => JSON.stringify(event)),
    [
      '{"namespace":"sdk","event_src_id":"ctrl","timestamp":"2026-11-30T08:00:00.000Z","event_type":"sdk-online","identity_id":"ann"}',
      '{"namespace":"link","event_src_id":"ctrl","timestamp":"2026-11-30T08:00:00.000Z","event_type":"fault","link_id":"one"}',
    ],
  );
});

test('events that nobody hears are not prepared', () => {
  const { events } = hub();
  const listener = () => undefined;
  events.on('sdk', listener);
  events.off('sdk', listener);
  assert.equal(events.isHeard('sdk'), false);
  events.emit('sdk', () => assert.fail('prepared'));
});

test('a listener that throws or rejects is logged, and the others still run', async () => {
  const { events, log } = hub();
  let heard = 0;
  events.on('sdk', () => {
    throw new Error('a bad listener');
  });
  events.on('sdk', async () => Promise.reject(new Error('another')));
  events.on('sdk', () => heard++);
  events.emit('sdk', () => ({ event_type: 'sdk-online', identity_id: 'ann' }));
  await new Promise((done) => setImmediate(done));
  assert.equal(heard, 1);
  assert.deepEqual(log, ['a listener of network events failed', 'a listener of network events failed']);
});

test('an unknown kind is refused, with the one that was meant', () => {
  const { events } = hub();
  // The cast stands for JavaScript, in which the name is unchecked.
  assert.throws(() => events.on('circuits' as 'circuit', () => undefined), {
    name: 'TypeError',
    message: "there are no network events 'circuits': did you mean 'circuit'?",
  });
});
