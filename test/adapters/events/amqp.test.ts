/** Against a RabbitMQ server of its own, where it is installed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect } from 'amqplib';
import { amqpEvents } from '../../../adapters/events/amqp.ts';
import { openTelemetryEvents } from '../../../adapters/observability/opentelemetry-logs.ts';
import { internalsOf } from '../../../src/controller/controller-inside.ts';
import type { NetworkEventKind } from '../../../src/index.ts';
import { testNetwork } from '../../../testing/index.ts';
import { freePort } from '../../examples/child.ts';
import { needsRabbitMq, startRabbitMq } from '../../support/rabbitmq.ts';
import { until } from '../../support/until.ts';
import { selfSigned } from '../http/certificates.ts';

const opened = async () => {
  const network = await testNetwork();
  const { api } = network.controller;
  const heard: object[] = [];
  network.controller.networkEvents.on('entity.change', (event) => heard.push(event));
  return {
    controller: network.controller,
    heard,
    create: (name: string) => api.services.create({ body: { name, encryptionRequired: true } }),
    [Symbol.asyncDispose]: () => network.close(),
  };
};

const isOf = (name: string) => (message: Record<string, unknown>) =>
  (message['finalState'] as { readonly name?: string } | undefined)?.name === name && message['isParentEvent'] !== true;

const isGap = ({ event_type }: Record<string, unknown>) => event_type === 'gap';

describe('events of the network at a broker of AMQP', needsRabbitMq, () => {
  test('are messages of a queue, as JSON, and confirmed', { timeout: 120_000 }, async () => {
    await using broker = await startRabbitMq();
    await using network = await opened();
    const events = amqpEvents(network.controller, { url: broker.url, queue: 'events', kinds: ['entity.change'] });
    await network.create('web');
    await until(() => events.waiting === 0);
    const committed = JSON.stringify(network.heard.at(-1));
    const taken = await broker.taking('events', (message) => JSON.stringify(message) === committed);
    assert.deepEqual(taken, network.heard);

    // An exchange gets the kind and the type as routing key.
    const connection = await connect(broker.url);
    const channel = await connection.createChannel();
    await channel.assertExchange('network', 'topic', { durable: true });
    const { queue } = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(queue, 'network', 'entityChange.created');
    const keyed = Promise.withResolvers<string>();
    await channel.consume(queue, (message) => message && keyed.resolve(message.fields.routingKey), { noAck: true });
    const routed = amqpEvents(network.controller, { url: broker.url, exchange: 'network' });
    await network.create('shop');
    assert.equal(await keyed.promise, 'entityChange.created');
    await routed.close();
    await connection.close();

    // A queue that was deleted is declared again, and what was not delivered arrives there.
    const other = await connect(broker.url);
    await (await other.createChannel()).deleteQueue('events');
    await other.close();
    await network.create('kiosk');
    await broker.taking('events', isOf('kiosk'));
    await until(() => events.waiting === 0);
    await events.close();
    assert.equal(events.waiting, 0);
  });

  test('wait while it is away, up to a bound, and a gap says how many were missed', { timeout: 120_000 }, async () => {
    await using broker = await startRabbitMq();
    await using network = await opened();
    const events = amqpEvents(network.controller, { url: broker.url, queue: 'events', kinds: ['entity.change'], bufferSize: 4 });
    await network.create('before');
    await until(() => events.waiting === 0);
    await broker.stop();
    const before = network.heard.length;
    await network.create('away');
    await network.create('beyond');
    assert.equal(events.waiting, 4);
    const missed = network.heard.length - before - 4;
    await broker.start();
    // A broker that starts slowly is tried again only after a longer delay: the gap says when all have been delivered.
    const taken = await broker.taking('events', isGap);
    await until(() => events.waiting === 0);
    assert.deepEqual([taken.at(-1)?.['namespace'], taken.at(-1)?.['missed']], ['stream', missed]);
    assert.ok(taken.some(isOf('before')) && taken.some(isOf('away')) && missed > 0);
    await network.create('after');
    await broker.taking('events', isOf('after'));
    await events.close();
  });

  test('are encrypted with amqps, by a certificate that is verified', { timeout: 120_000 }, async () => {
    const { cert, key } = selfSigned('localhost');
    await using broker = await startRabbitMq({ ca: cert, cert, key });
    await using network = await opened();
    const wrong = amqpEvents(network.controller, { url: broker.tlsUrl, queue: 'unverified', kinds: ['entity.change'] });
    const events = amqpEvents(network.controller, { url: broker.tlsUrl, queue: 'events', kinds: ['entity.change'], tls: { ca: cert } });
    await network.create('web');
    await broker.taking('events', isOf('web'));
    await events.close();
    assert.ok(wrong.waiting > 0);
    await wrong.close(0);
  });
});

test('a broker that is not there costs a bounded number of events, and delays neither changes nor the end', async () => {
  await using network = await opened();
  const events = amqpEvents(network.controller, {
    url: `amqp://guest:secret@127.0.0.1:${await freePort()}`,
    queue: 'events',
    bufferSize: 10,
  });
  for (let i = 0; i < 20; i++) await network.create(`service-${i}`);
  assert.equal(events.waiting, 10);
  await events.close(0);
});

test('options that make no sense are refused, without the password in the URL', async () => {
  await using network = await opened();
  const wrong = [
    { url: 'http://user:secret@broker', queue: 'events' },
    { url: 'secret', queue: 'events' },
    { url: 'amqp://user:secret@broker' },
    { url: 'amqp://user:secret@broker', queue: 'events', exchange: 'events' },
    { url: 'amqp://user:secret@broker', queue: '', exchange: 'events' },
    { url: 'amqp://user:secret@broker', queue: 'events', bufferSize: 0 },
  ];
  for (const options of wrong)
    assert.throws(
      () => amqpEvents(network.controller, options),
      (error) => error instanceof TypeError && !error.message.includes('secret'),
    );
});

test('an unknown kind is refused, and then no events are collected, neither for a broker nor as log records', async () => {
  await using network = await opened();
  const kinds = ['circuit', 'circus'] as unknown as NetworkEventKind[]; // as a host without types may pass it
  assert.throws(() => amqpEvents(network.controller, { url: 'amqp://broker', queue: 'events', kinds }), TypeError);
  const loggerProvider = { getLogger: () => ({ emit: () => undefined }) };
  assert.throws(() => openTelemetryEvents(network.controller, { loggerProvider, kinds }), TypeError);
  assert.equal(internalsOf(network.controller).core.networkEvents.isHeard('circuit'), false);
});
