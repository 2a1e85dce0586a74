import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { until } from '../../support/until.ts';
import { bindBy, CLIENT_KEY, HOST_KEY, KEY, type Traffic, tokenFor, traffic, withSecond } from './traffic.ts';

const { createTerminatorV1, updateTerminator, updateTerminatorResponse, removeTerminator, removeTerminatorResponse, healthEvent } =
  messages.terminators;
const { createCircuitV1, createCircuitV1Response, refused, route } = messages.circuits;

const shown = async ({ network }: Traffic) => (await network.controller.api.terminators.list({})).data;

/** What the host of a terminator says, and how that is answered. */
const asHost = async (at: Traffic, session = at.hosting) => {
  const tokens = {
    sessionToken: await tokenFor(session, at.serviceId, 'Bind'),
    apiSessionToken: session.token,
    terminatorId: 'terminator',
  };
  return {
    tokens,
    update: async (fields: Parameters<typeof updateTerminator.encode>[0]) => {
      const answer = await at.router.request(updateTerminator, { ...tokens, ...fields });
      return answer.contentType === updateTerminatorResponse.contentType ? 'done' : edgeHeader.errorCode.in(answer);
    },
    remove: async (fields: Parameters<typeof removeTerminator.encode>[0] = {}) => {
      const answer = await at.router.request(removeTerminator, { ...tokens, ...fields });
      return answer.contentType === removeTerminatorResponse.contentType ? 'done' : edgeHeader.errorCode.in(answer);
    },
  };
};

test('a host changes cost and precedence of what it hosts, those that it says', async () => {
  await using at = await traffic();
  await bindBy(at, 'terminator');
  const { update } = await asHost(at);
  const now = async () => (await shown(at)).map(({ cost, precedence }) => [cost, precedence]);
  assert.equal(await update({ cost: 7, precedence: 'failed' }), 'done');
  assert.deepEqual(await now(), [[0, 'default']]);
  assert.equal(await update({ cost: 7, updateCost: true, precedence: 'failed', updatePrecedence: true }), 'done');
  assert.deepEqual(await now(), [[7, 'failed']]);
  assert.equal(await update({ cost: 65_535, updateCost: true }), 'done');
  assert.deepEqual(await now(), [[65_535, 'failed']]);
  assert.equal(await update({ cost: 65_536, updateCost: true }), 10);
  assert.equal(await update({ terminatorId: 'none', cost: 1, updateCost: true }), 8);
});

test('what another hosts, it neither changes nor removes', async () => {
  await using at = await traffic();
  await bindBy(at, 'terminator');
  const other = await at.network.device('other', 'hosts');
  const { update, remove } = await asHost(at, await other.login());
  assert.equal(await update({ cost: 1, updateCost: true }), 8);
  assert.equal(await remove(), 8);
  const dialToken = await tokenFor(at.dialing, at.serviceId, 'Dial');
  const dialing = { sessionToken: dialToken, apiSessionToken: at.dialing.token };
  assert.equal(await update({ ...dialing, cost: 1, updateCost: true }), 4);
  assert.equal(await remove({ ...dialing }), 4);
  assert.equal(await remove({ apiSessionToken: at.dialing.token }), 2);
  assert.equal(await remove({ sessionToken: 'none' }), 3);
  // The same host at another router, and in its session for another service.
  const { hosting: elsewhere } = await withSecond(at);
  const there = await asHost(elsewhere);
  assert.deepEqual([await there.update({ cost: 1, updateCost: true }), await there.remove()], [8, 8]);
  const mail = await at.network.service('mail');
  await at.network.bind(['#hosts'], [mail]);
  const inAnother = await asHost({ ...at, serviceId: mail.id });
  assert.deepEqual([await inAnother.update({ cost: 1, updateCost: true }), await inAnother.remove()], [8, 8]);
  assert.equal((await bindBy({ ...at, hosting: await other.login(), host: other }, 'terminator')).result, 'idConflict');
  assert.equal((await bindBy({ ...at, serviceId: mail.id }, 'terminator')).result, 'idConflict');
  assert.deepEqual(
    (await shown(at)).map(({ id, cost }) => [id, cost]),
    [['terminator', 0]],
  );
});

test('a router that asks for a terminator in the older form is refused at once, and the answer names the known form', async () => {
  await using at = await traffic();
  const answer = await at.router.request(createTerminatorV1, undefined);
  assert.equal(answer.contentType, refused.contentType);
  assert.equal(refused.decode(answer.body), 'terminators are created by CreateTerminatorV2Request');
  assert.equal(edgeHeader.errorCode.in(answer), 1);
  assert.deepEqual(await shown(at), []);
});

test('a host removes what it hosts; again, there is nothing to do', async () => {
  await using at = await traffic();
  await bindBy(at, 'terminator');
  const { remove } = await asHost(at);
  assert.deepEqual([await remove(), await remove()], ['done', 'done']);
  assert.deepEqual(await shown(at), []);
});

test('a failed health check is logged, if the host of the terminator reports it', async () => {
  await using at = await traffic();
  await bindBy(at, 'terminator');
  const { tokens } = await asHost(at);
  const strangers = await asHost(at, await (await at.network.device('other', 'hosts')).login());
  at.router.send(healthEvent, { ...strangers.tokens, checkPassed: true });
  at.router.send(healthEvent, { ...tokens, checkPassed: false });
  await until(() => at.log().some((line) => line.includes('a health check')));
  assert.deepEqual(
    at.log().filter((line) => line.includes('a health check')),
    ['info: a health check of a terminator has failed'],
  );
});

test('a router may ask for a circuit in the older form, too', async () => {
  await using at = await traffic();
  await bindBy(at, 'terminator');
  const sessionToken = await tokenFor(at.dialing, at.serviceId, 'Dial');
  const peerData = new Map([[KEY, CLIENT_KEY]]);
  const answer = await at.router.request(createCircuitV1, { sessionToken, apiSessionToken: at.dialing.token, peerData });
  const made = createCircuitV1Response.decode(answer.body);
  const asked = route.decode((await at.router.next(route)).body);
  assert.deepEqual([made.circuitId, made.address], [asked.circuitId, asked.forwards[0]?.srcAddress]);
  assert.deepEqual(made.peerData, new Map([[KEY, HOST_KEY]]));
  assert.equal(made.tags.get('clientId'), at.client.id);
  const refused = await at.router.request(createCircuitV1, { sessionToken, apiSessionToken: at.hosting.token, peerData });
  assert.equal(edgeHeader.errorCode.in(refused), 2);
});
