import type { App } from './app.ts';
import { network } from './network.ts';

/** A policy by which sales dials the CRM. */
export const salesNetwork = async (app: App) => {
  const net = network(app);
  const ann = await net.identity('ann', 'sales');
  const crm = await net.service('crm', 'internal');
  const policy = await net.dial({ identities: ['#sales'], services: ['#internal'] });
  return { net, ann, crm, policy };
};

/** The same with two tests: ann of sales may, support may not. */
export const testedNetwork = async (app: App) => {
  const all = await salesNetwork(app);
  const { policyTests } = app.controller.api;
  await policyTests.create({ body: { name: 'ann dials', identityId: all.ann, serviceId: all.crm, expect: 'dial' } });
  await policyTests.create({ body: { name: 'support does not', identityAttributes: ['support'], serviceId: all.crm, expect: 'none' } });
  return all;
};
