/** Inspections over the fabric API, as `ziti fabric inspect` asks for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectRouters } from '../../../adapters/routers/node.ts';
import { createClient } from '../../../client/index.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { until } from '../../support/until.ts';
import { fabricApi } from './fabric-api.ts';
import { type RouterNetwork, routerNetwork } from './support.ts';

const { inspectRequest, inspectResponse } = messages.routers;

/** A router that answers each inspection so. */
const answering = async (at: RouterNetwork, name: string, answer: Parameters<typeof inspectResponse.encode>[0]) => {
  const router = await at.network.edgeRouter(name);
  let asked = 0;
  await router.dial({
    port: at.port,
    script: {
      [inspectRequest.name]: (frame, to) => {
        asked++;
        to.answer(frame, inspectResponse, answer);
      },
    },
  });
  return { id: router.id, asked: () => asked };
};

test('an administrator asks the routers whose ids an expression finds; what is JSON comes as JSON, without an envelope', async () => {
  await using at = await routerNetwork();
  await using api = await fabricApi(at.network);
  const said = ['{"links":[1]}', '[]', '7', 'goroutine 1 [running]', 'null', '', `${'['.repeat(101)}${']'.repeat(101)}`];
  const values = said.map((value, i) => ({ name: `v${i}`, value }));
  const one = await answering(at, 'one', { success: true, values });
  const two = await answering(at, 'two', { success: false, errors: ['no such value'] });
  const inspect = (appRegex: string) => api.call('POST', '/inspections', { body: { appRegex, requestedValues: ['links'] } });
  assert.deepEqual(await inspect(`^${one.id}$`), {
    status: 200,
    body: {
      success: true,
      errors: [],
      values: [{ links: [1] }, [], 7, ...said.slice(3)].map((value, i) => ({ appId: one.id, name: `v${i}`, value })),
    },
  });
  assert.equal(two.asked(), 0);
  const { body } = await inspect('.*');
  assert.deepEqual([body.success, body.errors, body.values.length], [false, [`${two.id}: no such value`], said.length]);
  assert.deepEqual((await inspect('none')).body, { success: true, errors: [], values: [] });

  const own = await api.call('POST', '/inspections', { body: { appRegex: '.*', requestedValues: ['connected-routers'] } });
  const [{ value: routers }] = own.body.values.filter(({ name }: { readonly name: string }) => name === 'connected-routers');
  assert.deepEqual(routers.map(({ id }: { readonly id: string }) => id).toSorted(), [one.id, two.id].toSorted());

  const expected = { success: false, errors: [`${two.id}: no such value`], values: [] };
  const input = { body: { appRegex: two.id, requestedValues: ['links'] } };
  assert.deepEqual(await at.network.controller.api.inspections.run(input), expected);
  const credentials = { session: (await (await at.network.administrator('remote')).login()).token };
  const client = createClient({ baseUrl: at.network.controller.settings.address, credentials, fetch: at.network.fetch });
  assert.deepEqual(await client.inspections.run(input), expected);
});

test('who is no administrator, or asks for what there is not, is refused, and no router is asked', async () => {
  await using at = await routerNetwork();
  await using api = await fabricApi(at.network);
  const one = await answering(at, 'one', { success: true });
  const { token } = await (await at.network.identity('ann')).login();
  const body = { appRegex: '.*', requestedValues: ['links'] };
  for (const as of [null, token]) assert.equal((await api.call('POST', '/inspections', { body, as })).status, 401);
  for (const change of [
    { appRegex: '(a+)+$' },
    { appRegex: 'a'.repeat(257) },
    { appRegex: undefined },
    { requestedValues: undefined },
    { requestedValues: Array(33).fill('links') },
    { requestedValues: ['x'.repeat(257)] },
    { requestedValues: 'links' },
  ])
    assert.equal((await api.call('POST', '/inspections', { body: { ...body, ...change } })).status, 400, JSON.stringify(change));
  assert.equal(one.asked(), 0);
});

test('answers that are too large together are left out, and each router that is missing is named', async () => {
  await using at = await routerNetwork();
  const large = { success: true, values: [{ name: 'stackdump', value: 'x'.repeat(5_000_000) }] };
  const routers = [await answering(at, 'one', large), await answering(at, 'two', large)];
  const answers = await inspectRouters(at.network.controller, { values: ['stackdump'] });
  assert.deepEqual(answers.map(({ values }) => values.length).toSorted(), [0, 1]);
  assert.deepEqual(
    answers.flatMap(({ errors }) => errors),
    ['the answers of all routers have more than 8388608 bytes'],
  );
  assert.deepEqual(new Set(answers.map(({ routerId }) => routerId)), new Set(routers.map(({ id }) => id)));
  assert.equal(
    (await inspectRouters(at.network.controller, { values: ['stackdump'], routerIds: [routers[0]?.id ?? ''] }))[0]?.values.length,
    1,
  );
});

test('ten seconds are for all routers: those whose turn does not come are named', async () => {
  await using at = await routerNetwork();
  const waiting: Promise<unknown>[] = [];
  for (let i = 0; i < 17; i++) {
    const router = await (await at.network.edgeRouter(`silent${i}`)).dial({ port: at.port });
    waiting.push(router.next(inspectRequest));
  }
  let asked = 0;
  for (const each of waiting)
    each.then(
      () => asked++,
      () => undefined,
    );
  const asking = at.network.controller.api.inspections.run({ body: { appRegex: '.*', requestedValues: ['links'] } });
  await until(() => asked === 16);
  at.network.clock.advance('10s');
  const { success, errors } = await asking;
  assert.equal(success, false);
  const reasons = errors.map((error) => error.slice(error.indexOf(': ') + 2));
  assert.deepEqual(
    [...new Set(reasons)].map((reason) => [reason, reasons.filter((other) => other === reason).length]),
    [
      ['there was no answer for 10 s', 16],
      ['the answers of other routers have used up the time or the size limit', 1],
    ],
  );
});
