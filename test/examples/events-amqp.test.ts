import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readOptions } from '../../server/options.ts';
import { needsRabbitMq, startRabbitMq } from '../support/rabbitmq.ts';
import { startServer, temporaryFolder } from './child.ts';

test('the option has the address of a broker, with a queue or an exchange', () => {
  const read = (value: string) => readOptions(['--events-amqp', value], {})?.eventsAmqp;
  assert.deepEqual(read('amqps://ann:secret@broker.test/network?queue=events&heartbeat=10'), {
    url: 'amqps://ann:secret@broker.test/network?heartbeat=10',
    queue: 'events',
  });
  assert.deepEqual(read('amqp://broker.test?exchange=events'), { url: 'amqp://broker.test', exchange: 'events' });
  for (const wrong of [
    'secret',
    'amqp://ann:secret@broker.test',
    'https://ann:secret@broker.test?queue=a',
    'amqp://broker.test?queue=a&exchange=secret',
  ])
    assert.throws(
      () => read(wrong),
      ({ message }: Error) => message.startsWith('--events-amqp must be an address') && !message.includes('secret'),
      wrong,
    );
});

test('the password of the broker may be in a file, and is not shown', (t) => {
  const file = join(temporaryFolder(t), 'broker');
  writeFileSync(file, 'amqps://ann:secret@broker.test?queue=events\n');
  const options = readOptions(['--print-config'], { OVERLAY_EVENTS_AMQP_FILE: file });
  assert.equal(options?.eventsAmqp?.url, 'amqps://ann:secret@broker.test');
  assert.match(options?.configuration ?? '', /amqps:\/\/ann@broker\.test\?queue=events/);
  assert.doesNotMatch(options?.configuration ?? '', /secret@/);
});

test('the server publishes its events until it ends', { ...needsRabbitMq, timeout: 120_000 }, async (t) => {
  await using broker = await startRabbitMq();
  const folder = temporaryFolder(t);
  const file = join(folder, 'broker');
  writeFileSync(file, `${broker.url}?queue=events`);
  const server = await startServer(t, folder, [], { ADMIN_PASSWORD: 'a-good-password', OVERLAY_EVENTS_AMQP_FILE: file });
  await server.login('a-good-password');
  await broker.taking('events', ({ namespace, event_type }) => namespace === 'authentication' && event_type === 'success');
  await server.stop();
});
