import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { createHostCheck, namesOf } from '../../server/addresses.ts';
import { createObservability } from '../../server/observing.ts';
import { readOptions } from '../../server/options.ts';
import { testNetwork } from '../../testing/index.ts';

type Asking = (host: string | undefined, path?: string) => Promise<number>;

/** Opens the port for metrics as the options say. @returns asks it under the name of a host, and gives the status */
const metricsPort = async (t: { after(then: () => Promise<void>): void }, ...line: string[]): Promise<Asking> => {
  const options = readOptions(line, {});
  assert.ok(options);
  const { controller } = await testNetwork();
  const serving = await createObservability(options).listen(Promise.resolve(controller));
  assert.ok(serving);
  t.after(async () => {
    await serving.close(0);
    await controller.close();
  });
  const { port } = new URL(serving.address);
  return (host, path = '/metrics') =>
    new Promise((resolve, reject) => {
      const headers = host === undefined ? {} : { host };
      const options = { host: '127.0.0.1', port, path, headers, setHost: false, agent: false } as const;
      const request = http.request(options);
      request.on('error', reject).on('response', (answer) => resolve(answer.resume().statusCode ?? 0));
      request.end();
    });
};

test('a page of another site whose name leads to this machine reads no metrics', async (t) => {
  const ask = await metricsPort(t, '--metrics', '0');
  for (const host of [
    'evil.example',
    'evil.example:9464',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'x@localhost',
    '10.0.0.7',
    '',
  ])
    assert.equal(await ask(host), 421, host);
  assert.equal(await ask('evil.example', '/'), 421, 'nor which paths there are');
  for (const host of ['localhost', 'localhost:9464', 'LOCALHOST:80', '127.0.0.1:9464', '127.0.0.2', '[::1]:9464', 'metrics.localhost'])
    assert.equal(await ask(host), 200, host);
});

test('the operator says which other names it has', async (t) => {
  const ask = await metricsPort(t, '--metrics', '0', '--metrics-hosts', 'Controller,[fd00::7]');
  for (const host of ['controller:9464', '[fd00::7]:9464', 'localhost']) assert.equal(await ask(host), 200, host);
  for (const host of ['evil.example', 'controller.evil.example', '[fd00::8]']) assert.equal(await ask(host), 421, host);
  const open = await metricsPort(t, '--metrics', '0', '--metrics-hosts', '*');
  assert.equal(await open('evil.example'), 200);
});

test('a port on another address is asked under that address, and one on all of them under any address, which no other site has for a name', () => {
  const one = createHostCheck('10.0.0.7', []);
  assert.deepEqual(['10.0.0.7:9464', 'localhost', '10.0.0.8', 'evil.example'].map(one), [true, true, false, false]);
  for (const every of ['0.0.0.0', '::']) {
    const all = createHostCheck(every, []);
    assert.deepEqual(['10.0.0.7:9464', '[fd00::7]:9464', namesOf(every).advertised, 'localhost', 'evil.example'].map(all), [
      true,
      true,
      true,
      true,
      false,
    ]);
  }
});
