/** Example code for some operations. `test/types/` compiles it. */
export const examples: Readonly<Record<string, string>> = {
  'identities.list': "const { data, pagination } = await controller.api.identities.list({ filter: 'isAdmin = true', sort: 'name' });",
  'identities.create':
    "const { id } = await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false, enrollment: { ott: true } } });",
  'identities.patch': "await controller.api.identities.patch({ id, body: { roleAttributes: ['sales'] } });",
  'identities.disable': 'await controller.api.identities.disable({ id, body: { durationMinutes: 30 } });',
  'services.create':
    "const { id } = await controller.api.services.create({ body: { name: 'wiki', encryptionRequired: true, roleAttributes: ['intranet'] } });",
  'servicePolicies.create':
    "await controller.api.servicePolicies.create({ body: { name: 'sales dial intranet', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['#intranet'] } });",
  'edgeRouterPolicies.create':
    "await controller.api.edgeRouterPolicies.create({ body: { name: 'all', semantic: 'AnyOf', identityRoles: ['#all'], edgeRouterRoles: ['#all'] } });",
  'serviceEdgeRouterPolicies.create':
    "await controller.api.serviceEdgeRouterPolicies.create({ body: { name: 'all', semantic: 'AnyOf', serviceRoles: ['#all'], edgeRouterRoles: ['#all'] } });",
  'postureChecks.create':
    "await controller.api.postureChecks.create({ body: { name: 'company domain', typeId: 'DOMAIN', domains: ['example.com'] } });",
  'edgeRouters.create': "const { id } = await controller.api.edgeRouters.create({ body: { name: 'paris', isTunnelerEnabled: false } });",
  'configs.create':
    "await controller.api.configs.create({ body: { name: 'wiki host', configTypeId: 'host.v1', data: { protocol: 'tcp', address: 'localhost', port: 8080 } } });",
  'changes.list': "const { data } = await controller.api.changes.list({ after: 100, kinds: ['identity'] });",
  'changes.follow':
    "for await (const { action, after } of controller.api.changes.follow({ kinds: ['identity'] })) console.log(action, after?.name);",
  'authenticators.create':
    "await controller.api.authenticators.create({ body: { identityId: id, method: 'updb', username: 'ann', password: 'a long password' } });",
  'enrollments.create':
    "await controller.api.enrollments.create({ body: { identityId: id, method: 'ott', expiresAt: '2030-01-01T00:00:00Z' } });",
  'authentication.authenticate':
    "const session = await controller.api.authentication.authenticate({ method: 'password', body: { username: 'ann', password: 'a long password' } });",
  'access.explain': "const { isAllowed, suggestions } = await controller.api.access.explain({ identityId, serviceId, type: 'Dial' });",
};
