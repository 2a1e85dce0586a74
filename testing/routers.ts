import type { RouterConnection } from '../src/index.ts';
import { issuedCertificate, newCsr, type TestCertificate } from './certificates.ts';
import { readEnrollmentJwt } from './enrollment-jwt.ts';
import type { TestEntity } from './entity.ts';
import type { Kit } from './kit.ts';
import { connectScripted, type ScriptedRouter, type ScriptedRouterOptions } from './scripted-router.ts';

/** A router that comes and goes. */
export interface TestRouter extends TestEntity {
  /** Its certificate; undefined until it has enrolled. */
  readonly certificate: TestCertificate | undefined;
  /** Its connection; undefined while it has none. */
  readonly connection: RouterConnection | undefined;
  /**
   * The router comes: it enrolls if it must, connects, and says how it is reached. It is online then.
   * @param address under which clients reach it; default: one made of its id
   * @throws ApiError `UNAUTHORIZED` if it is disabled
   */
  connect(address?: { readonly hostname: string; readonly port: number }): Promise<RouterConnection>;
  /**
   * The router connects to a server as routers do, over TLS (`serveRouters`, or `serve` with `routers`), and runs the script of the test. It enrolls if necessary. Needs Node.
   * @throws Error with the controller's message, if it refuses the router
   */
  dial(options: ScriptedRouterOptions): Promise<ScriptedRouter>;
  /** The router goes: its connection is lost. */
  disconnect(): void;
}

type Method = 'erott' | 'trott';

/** A new edge router, which has not enrolled. */
export const newEdgeRouter = async (kit: Kit, name: string, roleAttributes: readonly string[]): Promise<TestRouter> => {
  const { id } = await kit.controller.api.edgeRouters.create({ body: { name, roleAttributes } });
  return router(kit, { id, name }, 'erott');
};

/** Does what a router does with a JWT. */
export const enrollRouter = async (kit: Kit, jwt: string): Promise<TestRouter> => {
  const { sub: id, em } = readEnrollmentJwt(kit, jwt, ['erott', 'trott']);
  const { name } = await details(kit, id, em);
  return router(kit, { id, name }, em, await enrolled(kit, jwt));
};

const details = (
  {
    controller: {
      api: { edgeRouters, routers },
    },
  }: Kit,
  id: string,
  method: Method,
) => (method === 'erott' ? edgeRouters.get({ id }) : routers.get({ id }));

const enrolled = async (kit: Kit, jwt: string): Promise<TestCertificate> => {
  const { sub, jti: token, em: method } = readEnrollmentJwt(kit, jwt, ['erott', 'trott']);
  const [own, server] = [await newCsr(sub), await newCsr(sub)]; // the common name of a router is its id
  const body = { certCsr: own.csr, serverCertCsr: server.csr };
  const { cert = '' } = await kit.client().enrolling.enroll({ token, method, body });
  return issuedCertificate(cert, own.key);
};

const router = (kit: Kit, { id, name }: TestEntity, method: Method, given?: TestCertificate): TestRouter => {
  let certificate = given;
  let connection: RouterConnection | undefined;
  const ownCertificate = async (): Promise<TestCertificate> => {
    const { enrollmentJwt } = await details(kit, id, method);
    if (enrollmentJwt) certificate = await enrolled(kit, enrollmentJwt);
    if (!certificate) throw new TypeError(`router '${name}' was enrolled otherwise, so its key is not known here`);
    return certificate;
  };
  return {
    id,
    name,
    get certificate() {
      return certificate;
    },
    get connection() {
      return connection?.signal.aborted ? undefined : connection;
    },
    connect: async (address = { hostname: `${id.toLowerCase()}.routers.test`, port: 3022 }) => {
      const { certificates } = await ownCertificate();
      const versionInfo = { os: 'linux', arch: 'amd64', version: 'v1.7.2' };
      connection = await kit.controller.presence.connect({ certificates, versionInfo });
      await connection.hello({ listeners: [{ protocol: 'tls', ...address }] });
      return connection;
    },
    dial: async (options) => connectScripted({ id, certificate: await ownCertificate(), clock: kit.clock }, options),
    disconnect: () => connection?.close(),
  };
};
