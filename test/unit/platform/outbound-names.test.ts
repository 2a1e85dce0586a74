import assert from 'node:assert/strict';
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net';
import { describe, test } from 'node:test';
import { nodeOutbound } from '../../../adapters/platform/node-outbound.ts';
import { addressRule } from '../../../src/runtime/platform/addresses.ts';
import { LIMITS, serving, textOf } from './serving.ts';

describe('names (node)', () => {
  const leadingTo = (...answers: readonly (readonly string[])[]) => {
    let asked = 0;
    const outbound = nodeOutbound({}, (_, found) => {
      const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
      found(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    });
    return { outbound, times: () => asked };
  };

  test('that lead to an address that is not permitted are not connected to', async (t) => {
    const { port, asked } = await serving(t, (_, response) => void response.end());
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1'])
      await assert.rejects(leadingTo([address]).outbound.request(`http://keys.example:${port}/`, { ...LIMITS, permits: addressRule([]) }), {
        name: 'OutboundRefused',
        message: `requests to keys.example are not allowed: it resolves to ${address}`,
      });
    assert.deepEqual(asked, []);
  });

  test('are looked up once for each request, so that what was judged is what is connected to', async (t) => {
    const { port, asked } = await serving(t, (_, response) => void response.end('there'));
    // The first answer passes the judgement; a second look would lead elsewhere.
    const { outbound, times } = leadingTo(['127.0.0.1'], ['169.254.169.254']);
    assert.equal(textOf((await outbound.request(`http://keys.example:${port}/`, LIMITS)).body), 'there');
    assert.deepEqual([times(), asked], [1, ['/']]);
    await assert.rejects(outbound.request(`http://keys.example:${port}/`, LIMITS), { name: 'OutboundRefused' });
  });

  test('of which only some addresses are permitted lead to those', async (t) => {
    const { port } = await serving(t, (_, response) => void response.end('there'));
    const { outbound } = leadingTo(['169.254.169.254', '127.0.0.1']);
    assert.equal(textOf((await outbound.request(`http://keys.example:${port}/`, LIMITS)).body), 'there');
  });

  test('lead to the first permitted address where Node is to try no other', async (t) => {
    const usual = getDefaultAutoSelectFamily();
    setDefaultAutoSelectFamily(false);
    t.after(() => setDefaultAutoSelectFamily(usual));
    const { port } = await serving(t, (_, response) => void response.end('there'));
    const { outbound } = leadingTo(['169.254.169.254', '127.0.0.1', '127.0.0.2']);
    assert.equal(textOf((await outbound.request(`http://keys.example:${port}/`, LIMITS)).body), 'there');
  });

  test('that nobody knows are an error', async () => {
    await assert.rejects(
      nodeOutbound({}, (_, found) => found(new Error('ENOTFOUND'), [])).request('http://keys.example/', LIMITS),
      /ENOTFOUND/,
    );
  });
});
