import { memoryStorage } from '../adapters/storage/memory/index.ts';
import { type ControllerOptions, type Facade, ManagementController, webPlatform } from '../src/index.ts';
import { fastPasswordHasher } from '../src/platform/testing.ts';
import { frozenClock, type TestClock } from './clock.ts';

/** An entity of a test's network. */
export interface TestEntity {
  readonly id: string;
  readonly name: string;
}

export interface TestIdentity extends TestEntity {
  /** The operations, with the rights of a new session of this identity. */
  login(): Promise<Facade>;
}

/** Whom a policy brings together: `#attribute`, `#all`, or the entities themselves. */
export type TestRoles = readonly (string | TestEntity)[];

/** A network in few words, for tests of applications that embed a controller. */
export interface TestNetwork extends AsyncDisposable {
  readonly controller: ManagementController;
  readonly clock: TestClock;
  /** `identity('ann', 'sales')` carries the role attribute `sales`, and can log in. */
  identity(name: string, ...roleAttributes: string[]): Promise<TestIdentity>;
  /** A service with these role attributes. */
  service(name: string, ...roleAttributes: string[]): Promise<TestEntity>;
  /** An edge router with these role attributes. */
  edgeRouter(name: string, ...roleAttributes: string[]): Promise<TestEntity>;
  /** Lets any of the identities dial any of the services. */
  dial(identities: TestRoles, services: TestRoles): Promise<TestEntity>;
  /** Lets any of the identities bind any of the services. */
  bind(identities: TestRoles, services: TestRoles): Promise<TestEntity>;
  /** Whether some policy lets the identity dial the service, its posture checks included. */
  mayDial(identity: TestEntity, service: TestEntity): Promise<boolean>;
  /** Whether some policy lets the identity bind the service. */
  mayBind(identity: TestEntity, service: TestEntity): Promise<boolean>;
}

const PASSWORD = 'a password of tests';

/**
 * A controller on a store in memory, with a clock that stands still and password hashing that is quick and weak.
 *
 * ```ts
 * await using network = await testNetwork();
 * const ann = await network.identity('ann', 'sales');
 * const crm = await network.service('crm');
 * await network.dial(['#sales'], [crm]);
 * assert.ok(await network.mayDial(ann, crm));
 * ```
 * @param options as for `ManagementController.open`; all may be left out
 */
export const testNetwork = async (options: Partial<ControllerOptions> = {}): Promise<TestNetwork> => {
  const clock = frozenClock();
  const controller = await ManagementController.open({
    storage: memoryStorage(),
    platform: webPlatform({ clock, passwords: fastPasswordHasher() }),
    ...options,
    settings: { address: 'https://127.0.0.1:1280', ...options.settings },
  });
  const { identities, authenticators, authentication, services, edgeRouters, servicePolicies, access } = controller;
  let serial = 0;

  const policy = async (type: 'Dial' | 'Bind', of: TestRoles, to: TestRoles): Promise<TestEntity> => {
    const name = `${type} policy ${++serial}`;
    const body = { name, type, semantic: 'AnyOf', identityRoles: selectors(of), serviceRoles: selectors(to) } as const;
    return { id: (await servicePolicies.create({ body })).id, name };
  };
  const isAllowed = async (type: 'Dial' | 'Bind', identity: TestEntity, service: TestEntity): Promise<boolean> =>
    (await access.explain({ identityId: identity.id, serviceId: service.id, type })).isAllowed;

  return {
    controller,
    clock,
    identity: async (name, ...roleAttributes) => {
      const { id } = await identities.create({ body: { name, type: 'User', isAdmin: false, roleAttributes } });
      const username = `user ${id}`;
      await authenticators.create({ body: { identityId: id, method: 'updb', username, password: PASSWORD } });
      const login = async () =>
        controller.as(await authentication.authenticate({ method: 'password', body: { username, password: PASSWORD } }));
      return { id, name, login };
    },
    service: async (name, ...roleAttributes) => {
      const { id } = await services.create({ body: { name, encryptionRequired: true, roleAttributes } });
      return { id, name };
    },
    edgeRouter: async (name, ...roleAttributes) => {
      const { id } = await edgeRouters.create({ body: { name, roleAttributes } });
      return { id, name };
    },
    dial: (of, to) => policy('Dial', of, to),
    bind: (of, to) => policy('Bind', of, to),
    mayDial: (identity, service) => isAllowed('Dial', identity, service),
    mayBind: (identity, service) => isAllowed('Bind', identity, service),
    [Symbol.asyncDispose]: () => controller.close(),
  };
};

const selectors = (roles: TestRoles): string[] => roles.map((role) => (typeof role === 'string' ? role : `@${role.id}`));
