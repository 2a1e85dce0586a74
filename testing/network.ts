import { type CaCreate, type ExternalJwtSignerCreate, ManagementController, type PostureCheckCreate } from '../src/index.ts';
import { newCa, type TestCa } from './authorities.ts';
import type { TestCertificate } from './certificates.ts';
import type { TestClock } from './clock.ts';
import { enrollDevice, newDevice, type TestDevice } from './devices.ts';
import type { TestEntity, TestRoles } from './entity.ts';
import { newUser, type TestUser } from './identities.ts';
import { newJwtSigner, type TestJwtSigner } from './jwt-signers.ts';
import { createKit, type TestFetch } from './kit.ts';
import { controllerOptions, type TestNetworkOptions } from './options.ts';
import { policiesOf, type TestSubject } from './policies.ts';
import { createRecorder, type Recorded } from './recorded.ts';
import { enrollRouter, newEdgeRouter, type TestRouter } from './routers.ts';
import { trackWork } from './work.ts';

/** The fields of a posture check except its name: a union discriminated by `typeId`. */
export type TestPostureCheck = PostureCheckCreate extends infer C ? (C extends unknown ? Omit<C, 'name'> : never) : never;

/** A network that is quick to set up, for tests of applications that embed a controller. */
export interface TestNetwork extends AsyncDisposable {
  /** The controller under test, with all operations. */
  readonly controller: ManagementController;
  /** The clock of the controller, which is stopped unless the test advances it. */
  readonly clock: TestClock;
  /**
   * Advances the clock, e.g. `advance('31m')`, and waits for work that timers start, such as lease renewals and schedules, each at its own
   * time. `clock.advance` does not wait.
   */
  advance(duration: string): Promise<void>;
  /** Resolves when the controller has no transaction and no outbound request in progress. */
  settled(): Promise<void>;
  /** The recorded changes, calls and log lines of the network. */
  readonly recorded: Recorded;
  /** Sends requests as HTTP messages, without a socket: `createClient({ baseUrl, credentials, fetch: network.fetch })`. */
  readonly fetch: TestFetch;

  /** Creates an identity that can log in with a password: `identity('ann', 'sales')` has the role attribute `sales`. */
  identity(name: string, ...roleAttributes: string[]): Promise<TestUser>;
  /** Creates an administrator who can log in with a password. */
  administrator(name: string): Promise<TestUser>;
  /** Creates an identity, and enrolls it with a one-time token, so that it has a certificate of the network. */
  device(name: string, ...roleAttributes: string[]): Promise<TestDevice>;
  /**
   * Enrolls a device with the JWT of a CA, or of an identity that the application created.
   * @param certificate the certificate to present, for the methods `ottca` and `ca`. Default: the network issues one for a new key.
   * @throws ApiError of the enrollment, e.g. `INVALID_ENROLLMENT_TOKEN`; TypeError for the JWT of another network or method
   */
  enroll(jwt: string, certificate?: TestCertificate): Promise<TestDevice>;

  /** Creates a service with these role attributes. */
  service(name: string, ...roleAttributes: string[]): Promise<TestEntity>;
  /** Creates an edge router with these role attributes. It is offline until `connect()`. */
  edgeRouter(name: string, ...roleAttributes: string[]): Promise<TestRouter>;
  /**
   * Enrolls a router with the JWT of one that the application created.
   * @throws like `enroll`
   */
  enrollRouter(jwt: string): Promise<TestRouter>;
  /** Creates a posture check, for `dial` and `TestSession.satisfy`. */
  postureCheck(name: string, fields: TestPostureCheck): Promise<TestEntity>;

  /** Creates a verified third-party CA, which issues certificates. */
  ca(name: string, fields?: Partial<CaCreate>): Promise<TestCa>;
  /** Creates an external JWT signer, which issues tokens. Its keys are served in memory. */
  jwtSigner(name: string, fields?: Partial<ExternalJwtSignerCreate>): Promise<TestJwtSigner>;

  /** Allows each of the identities to dial each of the services, as long as all of the posture checks pass. */
  dial(identities: TestRoles, services: TestRoles, postureChecks?: TestRoles): Promise<TestEntity>;
  /** Allows each of the identities to bind each of the services, as long as all of the posture checks pass. */
  bind(identities: TestRoles, services: TestRoles, postureChecks?: TestRoles): Promise<TestEntity>;
  /**
   * Allows the identities to use the edge routers, and makes the services reachable through them; sessions require both. Default: all
   * identities, services and edge routers.
   */
  route(identities?: TestRoles, services?: TestRoles, edgeRouters?: TestRoles): Promise<void>;
  /**
   * True if a policy allows the identity to dial the service, and its posture checks pass. MFA checks can pass only if a session is given.
   */
  mayDial(who: TestSubject, service: TestEntity): Promise<boolean>;
  /** Like `mayDial`, for binding the service. */
  mayBind(who: TestSubject, service: TestEntity): Promise<boolean>;

  /** Closes the controller. `await using` does this automatically. */
  close(): Promise<void>;
}

const ALL: TestRoles = ['#all'];

/**
 * Opens a controller on an in-memory store, with a stopped clock, and with password hashing that is fast but weak. It does not depend on a
 * test framework.
 *
 * ```ts
 * await using network = await testNetwork();
 * const ann = await network.identity('ann', 'sales');
 * const crm = await network.service('crm');
 * await network.dial(['#sales'], [crm]);
 * assert.ok(await network.mayDial(ann, crm));
 * ```
 * @param options as for `ManagementController.open`, all optional
 * @throws like `ManagementController.open`
 */
export const testNetwork = async (options: TestNetworkOptions = {}): Promise<TestNetwork> => {
  const work = trackWork();
  const recorder = createRecorder();
  const { options: openOptions, clock, outbound } = controllerOptions(options, work, recorder);
  const controller = await ManagementController.open(openOptions);
  controller.events.on('change', recorder.change);
  const kit = createKit(controller, clock, outbound);
  const policies = policiesOf(kit);
  const close = () => controller.close();

  return {
    controller,
    clock,
    advance: (duration) => clock.advanceInSteps(duration, work.settled),
    settled: work.settled,
    recorded: recorder.recorded,
    fetch: kit.fetch(),
    identity: (name, ...roleAttributes) => newUser(kit, name, { isAdmin: false, roleAttributes }),
    administrator: (name) => newUser(kit, name, { isAdmin: true }),
    device: (name, ...roleAttributes) => newDevice(kit, name, roleAttributes),
    enroll: (jwt, certificate) => enrollDevice(kit, jwt, certificate),
    service: async (name, ...roleAttributes) => {
      const { id } = await controller.api.services.create({ body: { name, encryptionRequired: true, roleAttributes } });
      return { id, name };
    },
    edgeRouter: (name, ...roleAttributes) => newEdgeRouter(kit, name, roleAttributes),
    enrollRouter: (jwt) => enrollRouter(kit, jwt),
    postureCheck: async (name, fields) => {
      const body = { name, ...fields } as PostureCheckCreate; // TypeScript does not see that adding the name restores the union
      return { id: (await controller.api.postureChecks.create({ body })).id, name };
    },
    ca: (name, fields) => newCa(kit, name, fields),
    jwtSigner: (name, fields) => newJwtSigner(kit, name, fields),
    dial: (identities, services, checks = []) => policies.grant('Dial', identities, services, checks),
    bind: (identities, services, checks = []) => policies.grant('Bind', identities, services, checks),
    route: (identities = ALL, services = ALL, edgeRouters = ALL) => policies.route(identities, services, edgeRouters),
    mayDial: (who, service) => policies.isAllowed('Dial', who, service),
    mayBind: (who, service) => policies.isAllowed('Bind', who, service),
    close,
    [Symbol.asyncDispose]: close,
  };
};
