/** What a circuit asks of the store: routers ask for many, and most of what decides about them was read before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECRET_KEY } from '../../support/app.ts';
import { counted } from '../../support/counted.ts';
import { newStorage, stores } from '../../support/stores.ts';
import { bindBy, dialBy, routed, settled, tokenFor, traffic } from './traffic.ts';

for (const store of stores)
  test(`a circuit of a client that is known asks for its sessions and the terminators of the service, and for the revision (${store})`, async () => {
    const { storage, askedByAll } = counted(newStorage(store));
    await using at = await traffic(routed, 'API session', { storage, secretKey: SECRET_KEY });
    await bindBy(at, 'terminator');
    const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
    for (let i = 0; i < 2; i++) assert.ok((await dialBy(at, { token })).isMade);
    await settled(at.router);
    const calls = (await askedByAll(async () => assert.ok((await dialBy(at, { token })).isMade))).filter((call) => call !== 'read');
    const questions = calls.filter((call) => call !== 'revision');
    assert.ok(questions.length <= 4, questions.join());
    assert.ok(calls.length - questions.length <= 2, calls.join());
  });
