import type { ManagementController } from '../src/index.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Two clients that may dial the same services through the same number of policies. The policies of `checked` have five posture checks each,
 * the others none.
 */
export type Endpoints = Readonly<Record<'unchecked' | 'checked', Credentials>>;

const POLICIES = 20;
const CHECKS = [
  { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0 <7.0.0'] }] },
  { typeId: 'MAC', macAddresses: ['02:00:00:00:00:01', '02:00:00:00:00:02'] },
  { typeId: 'DOMAIN', domains: ['bench.test'] },
  { typeId: 'PROCESS', process: { osType: 'Linux', path: '/usr/bin/agent' } },
  { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [{ osType: 'Linux', path: '/usr/bin/agent' }] },
] as const;

const credentialsOf = (name: string): Credentials => ({ username: `bench-${name}`, password: 'bench-password' });
export const endpoints: Endpoints = { unchecked: credentialsOf('unchecked'), checked: credentialsOf('checked') };

/**
 * Creates both clients, with policies that select services by attribute, a router for everyone, and posture responses that satisfy the
 * checks.
 */
export const fillEndpoints = async (controller: ManagementController): Promise<void> => {
  const checks: string[] = [];
  for (const [i, check] of CHECKS.entries()) {
    const body = { name: `bench-check-${i}`, roleAttributes: ['bench'], ...check };
    checks.push((await controller.api.postureChecks.create({ body })).id);
  }
  const all = { semantic: 'AnyOf' as const, edgeRouterRoles: ['#all'] };
  await controller.api.edgeRouters.create({ body: { name: 'bench-router' } });
  await controller.api.edgeRouterPolicies.create({ body: { name: 'bench-all', ...all, identityRoles: ['#bench-endpoint'] } });
  await controller.api.serviceEdgeRouterPolicies.create({ body: { name: 'bench-all', ...all, serviceRoles: ['#all'] } });
  for (const [name, { username, password }] of Object.entries(endpoints)) {
    const roleAttributes = ['bench-endpoint', `bench-${name}`];
    const { id } = await controller.api.identities.create({ body: { name: username, type: 'Device', isAdmin: false, roleAttributes } });
    await controller.api.authenticators.create({ body: { identityId: id, method: 'updb', username, password } });
    for (let i = 0; i < POLICIES; i++) {
      const attribute = String(i).padStart(2, '0');
      await controller.api.servicePolicies.create({
        body: {
          name: `bench-${name}-${i}`,
          type: 'Dial',
          semantic: 'AnyOf',
          identityRoles: [`#bench-${name}`],
          serviceRoles: [`#sv-${attribute}`],
          postureCheckRoles: name === 'checked' ? ['#bench'] : [],
        },
      });
    }
    const session = controller.as(await controller.api.authentication.authenticate({ method: 'password', body: { username, password } }));
    const [os = '', mac = '', domain = '', process = ''] = checks;
    await session.postureResponses.createBulk({
      body: [
        { typeId: 'OS', id: os, type: 'Linux', version: '6.1.0' },
        { typeId: 'MAC', id: mac, macAddresses: ['02:00:00:00:00:02'] },
        { typeId: 'DOMAIN', id: domain, domain: 'BENCH.test' },
        { typeId: 'PROCESS', id: process, path: '/usr/bin/agent', isRunning: true },
      ],
    });
  }
};

/** The ids of services that both clients may dial, at most `limit`. */
export const dialable = async (controller: ManagementController, limit: number): Promise<readonly string[]> => {
  const { data } = await controller.api.services.list({ filter: `anyOf(roleAttributes) = "sv-00"`, limit });
  return data.map(({ id }) => id);
};
