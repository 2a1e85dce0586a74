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

/** The fields of a posture check but its name: a union by `typeId`. */
export type TestPostureCheck = PostureCheckCreate extends infer C ? (C extends unknown ? Omit<C, 'name'> : never) : never;

/** A network in few words, for tests of applications that embed a controller. */
export interface TestNetwork extends AsyncDisposable {
  /** The controller under test, with all operations. */
  readonly controller: ManagementController;
  /** The clock of the controller, which stands still unless the test advances it. */
  readonly clock: TestClock;
  /**
   * Advances the time, `advance('31m')`, and waits for the work that becomes due: leases are renewed, schedules run, each at its time.
   * `clock.advance` does not wait.
   */
  advance(by: string): Promise<void>;
  /** Resolves when the controller has no transaction and no outbound request in progress. */
  settled(): Promise<void>;
  /** The recorded events of the network: changes, calls, and its log. */
  readonly recorded: Recorded;
  /** Requests over HTTP messages, without a socket: `createClient({ baseUrl, credentials, fetch: network.fetch })`. */
  readonly fetch: TestFetch;

  /** `identity('ann', 'sales')` carries the role attribute `sales`, and can log in with a password. */
  identity(name: string, ...roleAttributes: string[]): Promise<TestUser>;
  /** An administrator, who can log in with a password. */
  administrator(name: string): Promise<TestUser>;
  /** An identity with a certificate of the network, for which it enrolled with a one-time token. */
  device(name: string, ...roleAttributes: string[]): Promise<TestDevice>;
  /**
   * Enrolls as a device does: with the JWT of an identity that the application created, or of a CA.
   * @param own the certificate to present, for the methods `ottca` and `ca`. Default: one of the network, for a new key.
   * @throws ApiError as the enrollment does, e.g. `INVALID_ENROLLMENT_TOKEN`; TypeError for the JWT of another network or method
   */
  enroll(jwt: string, own?: TestCertificate): Promise<TestDevice>;

  /** A service with these role attributes. */
  service(name: string, ...roleAttributes: string[]): Promise<TestEntity>;
  /** An edge router with these role attributes. It is offline until `connect()`. */
  edgeRouter(name: string, ...roleAttributes: string[]): Promise<TestRouter>;
  /** Enrolls as a router does, with the JWT of one that the application created. @throws as `enroll` */
  enrollRouter(jwt: string): Promise<TestRouter>;
  /** A posture check, for `dial` and `TestSession.satisfy`. */
  postureCheck(name: string, fields: TestPostureCheck): Promise<TestEntity>;

  /** A third-party CA, verified, which issues certificates. */
  ca(name: string, fields?: Partial<CaCreate>): Promise<TestCa>;
  /** An external JWT signer, which issues tokens. Its keys are served in memory. */
  jwtSigner(name: string, fields?: Partial<ExternalJwtSignerCreate>): Promise<TestJwtSigner>;

  /** Lets any of the identities dial any of the services, while all of the posture checks pass. */
  dial(identities: TestRoles, services: TestRoles, postureChecks?: TestRoles): Promise<TestEntity>;
  /** Lets any of the identities bind any of the services, while all of the posture checks pass. */
  bind(identities: TestRoles, services: TestRoles, postureChecks?: TestRoles): Promise<TestEntity>;
  /** Lets the identities use the edge routers, and the services be reached through them. Default: all, for sessions need both. */
  route(identities?: TestRoles, services?: TestRoles, edgeRouters?: TestRoles): Promise<void>;
  /** True if a policy allows the identity to dial the service, with its posture checks. Codes for MFA count only if a session is given. */
  mayDial(who: TestSubject, service: TestEntity): Promise<boolean>;
  /** The same for binding the service. */
  mayBind(who: TestSubject, service: TestEntity): Promise<boolean>;

  /** Closes the controller. `await using` does so by itself. */
  close(): Promise<void>;
}

const ALL: TestRoles = ['#all'];

/**
 * A controller on a store in memory, with a clock that stands still and password hashing that is quick and weak. It needs no test framework.
 *
 * ```ts
 * await using network = await testNetwork();
 * const ann = await network.identity('ann', 'sales');
 * const crm = await network.service('crm');
 * await network.dial(['#sales'], [crm]);
 * assert.ok(await network.mayDial(ann, crm));
 * ```
 * @param options as for `ManagementController.open`; all may be left out
 * @throws as `ManagementController.open`
 */
export const testNetwork = async (options: TestNetworkOptions = {}): Promise<TestNetwork> => {
  const work = trackWork();
  const recorder = createRecorder();
  const { options: opening, clock, outbound } = controllerOptions(options, work, recorder);
  const controller = await ManagementController.open(opening);
  controller.events.on('change', recorder.change);
  const kit = createKit(controller, clock, outbound);
  const policies = policiesOf(kit);
  const close = () => controller.close();

  return {
    controller,
    clock,
    advance: (by) => clock.advanceInSteps(by, work.settled),
    settled: work.settled,
    recorded: recorder.recorded,
    fetch: kit.fetch(),
    identity: (name, ...roleAttributes) => newUser(kit, name, { isAdmin: false, roleAttributes }),
    administrator: (name) => newUser(kit, name, { isAdmin: true }),
    device: (name, ...roleAttributes) => newDevice(kit, name, roleAttributes),
    enroll: (jwt, own) => enrollDevice(kit, jwt, own),
    service: async (name, ...roleAttributes) => {
      const { id } = await controller.api.services.create({ body: { name, encryptionRequired: true, roleAttributes } });
      return { id, name };
    },
    edgeRouter: (name, ...roleAttributes) => newEdgeRouter(kit, name, roleAttributes),
    enrollRouter: (jwt) => enrollRouter(kit, jwt),
    postureCheck: async (name, fields) => {
      const body = { name, ...fields } as PostureCheckCreate; // of the union that lost its name, and has it again
      return { id: (await controller.api.postureChecks.create({ body })).id, name };
    },
    ca: (name, fields) => newCa(kit, name, fields),
    jwtSigner: (name, fields) => newJwtSigner(kit, name, fields),
    dial: (of, to, checks = []) => policies.grant('Dial', of, to, checks),
    bind: (of, to, checks = []) => policies.grant('Bind', of, to, checks),
    route: (identities = ALL, services = ALL, edgeRouters = ALL) => policies.route(identities, services, edgeRouters),
    mayDial: (who, service) => policies.isAllowed('Dial', who, service),
    mayBind: (who, service) => policies.isAllowed('Bind', who, service),
    close,
    [Symbol.asyncDispose]: close,
  };
};
