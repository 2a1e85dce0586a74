import assert from 'node:assert/strict';
import { test } from 'node:test';
import { header } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { ScriptedRouter } from '../../../testing/index.ts';
import { until } from '../../support/until.ts';
import { mesh } from './mesh.ts';
import { isOnline, letPass } from './support.ts';
import { bindBy, dialBy, type Traffic, tokenFor, traffic, withSecond } from './traffic.ts';

const { quiesceRouter, dequiesceRouter, decommissionRouter, result } = { ...messages.routers, ...messages.channel };
const { updateTerminator } = messages.terminators;
const { route } = messages.circuits;

const ask = async (router: ScriptedRouter, message: typeof quiesceRouter) => {
  const answer = await router.request(message, undefined);
  return [header.success.in(answer), result.decode(answer.body)];
};
const quiesce = (router: ScriptedRouter) => ask(router, quiesceRouter);
const dequiesce = (router: ScriptedRouter) => ask(router, dequiesceRouter);

const precedences = async ({ network }: Pick<Traffic, 'network'>) => {
  const { data } = await network.controller.api.terminators.list({ filter: 'true sort by id' });
  return Object.fromEntries(data.map(({ id, precedence }) => [id, precedence]));
};

test('the terminators of a quiesced router fail, those of others do not, and all have their precedence again afterwards', async () => {
  await using at = await traffic();
  const { hosting } = await withSecond(at);
  await bindBy(at, 'default');
  await bindBy(at, 'required', undefined, { precedence: 'required' });
  await bindBy(at, 'failed', undefined, { precedence: 'failed' });
  await bindBy(hosting, 'other');
  const before = { default: 'default', failed: 'failed', other: 'default', required: 'required' };
  assert.deepEqual(await precedences(at), before);
  for (let times = 0; times < 2; times++) assert.deepEqual(await quiesce(at.router), [true, 'router quiesced']);
  assert.deepEqual(await precedences(at), { default: 'failed', failed: 'failed', other: 'default', required: 'failed' });
  for (let times = 0; times < 2; times++) assert.deepEqual(await dequiesce(at.router), [true, 'router dequiesced']);
  assert.deepEqual(await precedences(at), before);
});

test('what a quiesced router hosts from then on, and what hosts choose meanwhile, has its precedence once that has ended', async () => {
  await using at = await traffic();
  await bindBy(at, 'old');
  await quiesce(at.router);
  await bindBy(at, 'new', undefined, { precedence: 'required' });
  await at.router.request(updateTerminator, {
    sessionToken: await tokenFor(at.hosting, at.serviceId, 'Bind'),
    apiSessionToken: at.hosting.token,
    terminatorId: 'old',
    precedence: 'required',
    updatePrecedence: true,
  });
  assert.deepEqual(await precedences(at), { new: 'failed', old: 'failed' });
  await dequiesce(at.router);
  assert.deepEqual(await precedences(at), { new: 'required', old: 'required' });
});

test('the precedence that an administrator has chosen meanwhile stays', async () => {
  await using at = await traffic();
  await bindBy(at, 'one');
  await quiesce(at.router);
  const change = (precedence: 'default' | 'required' | 'failed') =>
    at.network.controller.api.terminators.patch({ id: 'one', body: { precedence } });
  await change('required');
  await dequiesce(at.router);
  assert.deepEqual(await precedences(at), { one: 'required' });
  await change('failed');
  await dequiesce(at.router);
  assert.deepEqual(await precedences(at), { one: 'failed' });
});

test('new circuits avoid a quiesced router at their end and on their way, and take it if there is no other', async () => {
  await using at = await mesh();
  const [par, mad] = [await at.join('par1'), await at.join('mad1')];
  await at.link('to par', at.fra, par);
  await at.link('from par', par, at.ams);
  await at.link('to mad', at.fra, mad);
  await at.link('from mad', mad, at.ams);
  const first = async () => {
    await at.circuit();
    return route.decode((await at.fra.next(route)).body).forwards[0]?.dstAddress;
  };
  assert.equal(await first(), 'to par');
  await quiesce(par);
  assert.equal(await first(), 'to mad');
  await quiesce(mad);
  assert.equal(await first(), 'to par');
  await dequiesce(mad);
  assert.equal(await first(), 'to mad');
});

test('an administrator sees that a router is quiesced; it remains so until its operator ends that, also when it connects again', async () => {
  await using at = await traffic();
  const { api } = at.network.controller;
  const shown = async () => {
    const [one, other] = [await api.edgeRouters.get({ id: at.fra1.id }), await api.routers.get({ id: at.fra1.id })];
    return [one.isQuiesced, other.isQuiesced];
  };
  assert.deepEqual(await shown(), [undefined, undefined]);
  await quiesce(at.router);
  at.router.close();
  await until(async () => !(await isOnline(at.network, at.fra1.id)));
  const again = await at.fra1.dial({ port: at.port });
  assert.deepEqual(await shown(), [true, true]);
  await dequiesce(again);
  assert.deepEqual(await shown(), [undefined, undefined]);
});

test('a router that is decommissioned is deleted with its terminators and its tunneler, and disconnected', async () => {
  await using at = await traffic();
  const { ams1, second, hosting } = await withSecond(at);
  const { api } = at.network.controller;
  await api.edgeRouters.patch({ id: ams1.id, body: { isTunnelerEnabled: true } });
  await bindBy(at, 'stays');
  await bindBy(hosting, 'goes');
  second.send(decommissionRouter, undefined);
  await until(() => second.signal.aborted);
  assert.deepEqual(await precedences(at), { stays: 'default' });
  assert.deepEqual(
    (await api.routers.list()).data.map(({ id }) => id),
    [at.fra1.id],
  );
  await assert.rejects(api.identities.get({ id: ams1.id }), { code: 'NOT_FOUND' });
  assert.equal((await dialBy(at)).isMade, true);
});

test('a router that withdraws and returns without end is refused, until a minute has passed', async () => {
  await using at = await traffic();
  const change = (times: number) => (times % 2 ? dequiesce : quiesce)(at.router);
  for (let times = 0; times < 62; times++) assert.equal((await change(times))[0], true);
  const changed: unknown[] = [];
  for (let times = 0; times < 3; times++) changed.push((await change(times))[0]);
  assert.equal(changed.at(-1), false);
  await letPass(at, at.router, 1);
  assert.equal((await quiesce(at.router))[0], true);
});

test('a router that asks again and again is answered, and logged now and then', async () => {
  await using at = await traffic();
  for (let i = 0; i < 500; i++) at.router.send(quiesceRouter, undefined);
  await quiesce(at.router);
  await until(async () => (await dequiesce(at.router))[0] === true);
  const lines = at.log().filter((line) => line.includes('operator'));
  assert.ok(lines.length > 0 && lines.length <= 4, `${lines.length} lines`);
});
