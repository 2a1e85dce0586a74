/** Requests on a management channel whose answers are not read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalsOf } from '../../src/controller/controller-inside.ts';
import { encodeFrame } from '../../src/fabric/control-channel/frame.ts';
import { channelMessages } from '../../src/fabric/control-channel/messages/channel.ts';
import { managementMessages } from '../../src/fabric/control-channel/messages/management.ts';
import { validationMessages } from '../../src/fabric/control-channel/messages/validations.ts';
import { type ChannelCaller, serveManagementChannel } from '../../src/operations/management-channel/channel.ts';
import { createValidations } from '../../src/operations/management-channel/validations.ts';
import { testNetwork } from '../../testing/index.ts';

const REQUESTS = {
  pings: channelMessages.ping.contentType,
  inspections: managementMessages.inspectRequest.contentType,
  'streams of events': managementMessages.streamEventsRequest.contentType,
  validations: validationMessages.links.request.contentType,
};

for (const [name, contentType] of Object.entries(REQUESTS))
  test(`a client that sends ${name} and reads no answer is cut off before a hundred answers wait`, async () => {
    await using network = await testNetwork();
    const { id } = await network.controller.api.identities.create({
      body: { name: 'auditor', type: 'User', isAdmin: false, permissions: ['ops.read'] },
    });
    const api = network.controller.asIdentity(id);
    const caller: ChannelCaller = {
      api,
      controllerId: 'controller',
      validations: createValidations(api, internalsOf(network.controller).core),
      toggleTraces: async () => ({ success: true, report: '' }),
    };
    let answers = 0;
    let isCut = false;
    const channel = serveManagementChannel(caller, {
      send: () => {
        answers++;
        return new Promise(() => undefined);
      },
      cut: () => {
        isCut = true;
      },
    });
    for (let sequence = 1; !isCut && sequence <= 1000; sequence++) {
      channel.receive(encodeFrame({ contentType, sequence, headers: new Map(), body: new Uint8Array() }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(isCut);
    assert.ok(answers <= 100, `${answers} answers wait`);
  });
