import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectRouters, type RouterInspection } from '../../../adapters/routers/node.ts';
import { encodeFrame } from '../../../src/fabric/control-channel/frame.ts';
import { header } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { until } from '../../support/until.ts';
import { routerNetwork } from './support.ts';

const { inspectRequest, inspectResponse } = messages.routers;
const { result } = messages.channel;

test('routers are asked for what they alone know: some, or all that are connected', async () => {
  await using at = await routerNetwork();
  const inspect = (wanted: RouterInspection) => inspectRouters(at.network.controller, wanted);
  const asked: string[] = [];
  const dial = async (name: string) => {
    const router = await at.network.edgeRouter(name);
    await router.dial({
      port: at.port,
      script: {
        [inspectRequest.name]: (frame, to) => {
          const { requestedValues } = inspectRequest.decode(frame.body);
          asked.push(...requestedValues);
          to.answer(frame, inspectResponse, {
            success: false,
            errors: ['no such value: b'],
            values: [{ name: 'a', value: `{"of":"${name}"}` }],
          });
        },
      },
    });
    return router.id;
  };
  const [one, two] = [await dial('one'), await dial('two')];
  const ofOne = { routerId: one, errors: ['no such value: b'], values: [{ name: 'a', value: '{"of":"one"}' }] };
  assert.deepEqual(await inspect({ values: ['a', 'b'], routerIds: [one, one, 'none'] }), [
    ofOne,
    { routerId: 'none', errors: ['the router is not connected'], values: [] },
  ]);
  assert.deepEqual(asked, ['a', 'b']);
  assert.deepEqual(
    (await inspect({ values: ['a'] })).map(({ routerId }) => routerId),
    [one, two],
  );
});

test('a router that does not answer, or not as it should, has an error; one that answers nonsense is cut off', async () => {
  await using at = await routerNetwork();
  const inspect = (wanted: RouterInspection) => inspectRouters(at.network.controller, wanted);
  const [silent, other, bad] = [
    await at.network.edgeRouter('silent'),
    await at.network.edgeRouter('other'),
    await at.network.edgeRouter('bad'),
  ];
  const waiting = await silent.dial({ port: at.port });
  await other.dial({ port: at.port, script: { [inspectRequest.name]: (frame, to) => to.answer(frame, result, 'what?') } });
  const { signal } = await bad.dial({
    port: at.port,
    script: {
      [inspectRequest.name]: ({ sequence }, to) => {
        const headers = new Map([header.replyFor.of(sequence)]);
        to.write(encodeFrame({ contentType: inspectResponse.contentType, sequence: 99, headers, body: Uint8Array.of(0x12, 0x7f) }));
      },
    },
  });
  const asking = inspect({ values: ['links'] });
  await waiting.next(inspectRequest);
  await until(() => signal.aborted);
  at.network.clock.advance('10s');
  assert.deepEqual(
    new Map((await asking).map(({ routerId, errors }) => [routerId, errors])),
    new Map([
      [silent.id, ['there was no answer for 10 s']],
      [other.id, ['the router sent an answer of another type']],
      [bad.id, ['a field is longer than its message']],
    ]),
  );
});
