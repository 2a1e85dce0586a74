import type { ManagementController } from '../src/index.ts';
import { identityAttributes, identityBody, policyBody, type Size, serviceBody } from './data.ts';
import { dialable, fillEndpoints } from './endpoints.ts';

/** Ids and credentials for the measured requests. */
export interface Filled {
  readonly identities: readonly string[];
  readonly services: readonly string[];
  readonly policies: readonly string[];
  /** Services that the clients of `endpoints.ts` may dial. */
  readonly dialable: readonly string[];
  /** Username and password of an identity that has access to services through policies. */
  readonly client: { readonly username: string; readonly password: string };
}

/** Maximum number of ids of each kind. */
const SAMPLE = 500;

/** Fills an empty controller with a network of the given size. If the controller has already been filled, it only looks up the ids. */
export const load = async (controller: ManagementController, size: Size): Promise<Filled> => {
  const client = { username: 'bench-client', password: 'bench-password' };
  const existing = await controller.api.identities.list({ filter: `name = "${client.username}"`, limit: 1 });
  if (existing.data.length === 0) {
    for (let i = 0; i < size.identities; i++) await controller.api.identities.create({ body: identityBody(i) });
    const configTypeId = (await controller.api.configTypes.create({ body: { name: 'bench-type', schema: { type: 'object' } } })).id;
    const configs: string[] = [];
    for (let i = 0; i < 50; i++)
      configs.push((await controller.api.configs.create({ body: { name: `cfg-${i}`, configTypeId, data: { port: 1000 + i } } })).id);
    for (let i = 0; i < size.services; i++)
      await controller.api.services.create({ body: serviceBody(i, configs.slice(i % 50, (i % 50) + 1)) });
    for (let i = 0; i < size.policies; i++) await controller.api.servicePolicies.create({ body: policyBody(i) });
    const roleAttributes = [...new Set([...identityAttributes(), ...identityAttributes()])];
    const { id } = await controller.api.identities.create({
      body: { name: client.username, type: 'User', isAdmin: false, roleAttributes },
    });
    await controller.api.authenticators.create({ body: { identityId: id, method: 'updb', ...client } });
    await fillEndpoints(controller);
  }
  const identities = await controller.api.identities.list({ filter: 'name contains "id-"', limit: SAMPLE });
  const services = await controller.api.services.list({ filter: 'name contains "svc-"', limit: SAMPLE });
  const policies = await controller.api.servicePolicies.list({ filter: 'name contains "pol-"', limit: SAMPLE });
  return {
    client,
    identities: identities.data.map(({ id }) => id),
    services: services.data.map(({ id }) => id),
    policies: policies.data.map(({ id }) => id),
    dialable: await dialable(controller, SAMPLE),
  };
};
