/**
 * The TLS handshake proves possession of the key of the first certificate only. Whoever knows the certificate of another router, which is
 * public, can present it as filler behind the own one (GHSA-hhm9-wf63-g7qj, GHSA-mrpr-756c-xm47), or connect in a form that was not
 * verified (GHSA-cc5m-7mhm-xh9f).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { header, helloHeader } from '../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { type TestNetworkOptions, testNetwork } from '../../testing/index.ts';
import { directConnection, directRouter, frameOf } from '../support/control-channel/direct-router.ts';
import { groupHello, openGroup } from '../support/control-channel/underlays.ts';
import { party } from '../support/pki.ts';
import { until } from '../support/until.ts';

const { result } = messages.channel;
const { verifyRouter } = messages.links;
const quiet: TestNetworkOptions = { platform: { logger: { error: () => undefined, warn: () => undefined, info: () => undefined } } };
const version = header.version.of('v2.0.3');

const enrolled = async () => {
  const network = await testNetwork(quiet);
  const [victim, other] = [await network.edgeRouter('fra1'), await network.edgeRouter('ams1')];
  for (const router of [victim, other]) {
    await router.connect();
    router.disconnect();
  }
  return { network, victim, other, [Symbol.asyncDispose]: () => network.close() };
};

test('a stranger with the certificate of a router as filler is not accepted as a router, whichever type of connection the hello names', async () => {
  await using at = await enrolled();
  const stranger = (await party(at.victim.id)).certificate.der;
  const chain = [...(at.victim.certificate?.certificates ?? [])];
  const hellos = {
    'without a type': [version],
    'with a type': [version, header.underlayType.of('ctrl.default')],
    'with another type': [version, header.underlayType.of('link')],
    'grouped, the first': groupHello({ isFirst: true }),
    'grouped, urgent, the first': groupHello({ isFirst: true, type: 'ctrl.high' }),
    'grouped, the first by its header alone': [version, header.isGrouped.of(true), helloHeader.isFirstOfGroup.of(true)],
    'grouped, a further one': groupHello({ type: 'ctrl.high', id: 'x', secret: 'x' }),
  };
  for (const [form, hello] of Object.entries(hellos))
    for (const certificates of [[stranger], [stranger, ...chain], [...(at.other.certificate?.certificates ?? []), ...chain], []]) {
      const { came, end } = await directConnection(at.network, at.victim, hello, { certificates });
      // Without any certificate, the connection is closed before its hello is read.
      const answers = certificates.length === 0 ? [] : [false];
      assert.deepEqual([came.map((frame) => header.success.in(frame)), end !== undefined], [answers, true], form);
    }
  assert.equal((await at.network.controller.api.fabricRouters.get({ id: at.victim.id })).connected, false);
});

test('a stranger with the id and the secret of a group joins nothing', async () => {
  await using at = await enrolled();
  const { first, id, secret } = await openGroup(at.network, at.victim);
  const stranger = (await party(at.victim.id)).certificate.der;
  const chain = [...(at.victim.certificate?.certificates ?? [])];
  for (const isFirst of [false, true])
    for (const certificates of [[stranger], [stranger, ...chain], []]) {
      const { end } = await directConnection(at.network, at.victim, groupHello({ type: 'ctrl.high', id, secret, isFirst }), {
        certificates,
      });
      assert.notEqual(end, undefined);
    }
  assert.equal(first.end, undefined);
});

test('a router that asks whether a chain is that of another gets a yes for the first certificate only', async () => {
  await using at = await enrolled();
  const fingerprintOf = async (id: string) => (await at.network.controller.api.edgeRouters.get({ id })).fingerprint ?? assert.fail();
  const [victim, own] = [await fingerprintOf(at.victim.id), await fingerprintOf(at.other.id)];
  const asking = await directRouter(at.network, at.other);
  const ask = async (fingerprints: readonly string[]) => {
    const before = asking.came.length;
    await asking.send(frameOf(verifyRouter.contentType, verifyRouter.encode({ routerId: at.victim.id, fingerprints })));
    const answers = () => asking.came.slice(before).filter(({ contentType }) => contentType === result.contentType);
    await until(() => answers().length === 1);
    return header.success.in(answers()[0] ?? assert.fail());
  };
  assert.deepEqual(
    [await ask([victim, own]), await ask([own, victim]), await ask(['', victim]), await ask([])],
    [true, false, false, false],
  );
});
