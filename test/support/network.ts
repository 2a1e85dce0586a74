import type { App } from './app.ts';
import { list, namesIn } from './lists.ts';

interface PolicyRoles {
  readonly semantic?: 'AllOf' | 'AnyOf';
  readonly identities?: readonly string[];
  readonly services?: readonly string[];
  readonly routers?: readonly string[];
  readonly checks?: readonly string[];
}

/** Identities, services, routers and policies in few words: `net.identity('ann', 'sales')` carries the attribute `sales`. */
export const network = (app: App) => {
  let serial = 0;
  const servicePolicy = (type: 'Dial' | 'Bind', { semantic = 'AnyOf', identities, services, checks }: PolicyRoles) =>
    app.create('/service-policies', {
      name: `policy ${++serial}`,
      type,
      semantic,
      identityRoles: identities,
      serviceRoles: services,
      postureCheckRoles: checks,
    });
  const names = async (path: string, query: Readonly<Record<string, string>> = {}) =>
    namesIn(await list(app, path, { sort: 'name', limit: 500, ...query }));
  return {
    identity: (name: string, ...roleAttributes: string[]) =>
      app.create('/identities', { name, type: 'Device', isAdmin: false, roleAttributes }),
    service: (name: string, ...roleAttributes: string[]) => app.create('/services', { name, encryptionRequired: true, roleAttributes }),
    router: (name: string, ...roleAttributes: string[]) => app.create('/edge-routers', { name, roleAttributes }),
    dial: (roles: PolicyRoles) => servicePolicy('Dial', roles),
    bind: (roles: PolicyRoles) => servicePolicy('Bind', roles),
    routersOfIdentities: ({ semantic = 'AnyOf', identities, routers }: PolicyRoles) =>
      app.create('/edge-router-policies', { name: `policy ${++serial}`, semantic, identityRoles: identities, edgeRouterRoles: routers }),
    routersOfServices: ({ semantic = 'AnyOf', services, routers }: PolicyRoles) =>
      app.create('/service-edge-router-policies', {
        name: `policy ${++serial}`,
        semantic,
        serviceRoles: services,
        edgeRouterRoles: routers,
      }),
    patch: (path: string, body: object) => app.request('PATCH', path, { body }),
    names,
    /** Names of the services that an identity may dial, and bind. */
    dials: (id: string) => names(`/identities/${id}/services`, { policyType: 'dial' }),
    binds: (id: string) => names(`/identities/${id}/services`, { policyType: 'bind' }),
  };
};
