import type { RouterConnection } from '../src/index.ts';
import { issuedCertificate, newCsr, type TestCertificate } from './certificates.ts';
import { readEnrollmentJwt } from './enrollment-jwt.ts';
import type { TestEntity } from './entity.ts';
import type { Kit } from './kit.ts';
import { connectScripted, type ScriptedRouter, type ScriptedRouterOptions } from './scripted-router.ts';

/** A router that a test can connect and disconnect. */
export interface TestRouter extends TestEntity {
  /** The certificate of the router; undefined until it has enrolled. */
  readonly certificate: TestCertificate | undefined;
  /** The connection of the router; undefined while it is offline. */
  readonly connection: RouterConnection | undefined;
  /**
   * Brings the router online: it enrolls if necessary, connects, and reports the address of its listener.
   * @param address the address at which clients reach the router. Default: derived from its id
   * @throws ApiError `UNAUTHORIZED` if the router is disabled
   */
  connect(address?: { readonly hostname: string; readonly port: number }): Promise<RouterConnection>;
  /**
   * Connects to a server over TLS, as real routers do (`serveRouters`, or `serve` with `routers`), and runs the script of the test. Enrolls
   * first if necessary. Requires Node.
   * @throws Error with the controller's message if it rejects the router
   */
  dial(options: ScriptedRouterOptions): Promise<ScriptedRouter>;
  /** Takes the router offline by closing its connection. */
  disconnect(): void;
}

type Method = 'erott' | 'trott';

/** Creates an edge router, which has not enrolled yet. */
export const newEdgeRouter = async (kit: Kit, name: string, roleAttributes: readonly string[]): Promise<TestRouter> => {
  const { id } = await kit.controller.api.edgeRouters.create({ body: { name, roleAttributes } });
  return router(kit, { id, name }, 'erott');
};

/** Enrolls a router with its JWT. */
export const enrollRouter = async (kit: Kit, jwt: string): Promise<TestRouter> => {
  const { sub: id, em } = readEnrollmentJwt(kit, jwt, ['erott', 'trott']);
  const { name } = await detailsOf(kit, id, em);
  return router(kit, { id, name }, em, await obtainCertificate(kit, jwt));
};

const detailsOf = ({ controller: { api } }: Kit, id: string, method: Method) =>
  method === 'erott' ? api.edgeRouters.get({ id }) : api.routers.get({ id });

const obtainCertificate = async (kit: Kit, jwt: string): Promise<TestCertificate> => {
  const { sub, jti: token, em: method } = readEnrollmentJwt(kit, jwt, ['erott', 'trott']);
  const [client, server] = [await newCsr(sub), await newCsr(sub)]; // the common name of a router is its id
  const body = { certCsr: client.csr, serverCertCsr: server.csr };
  const { cert = '' } = await kit.client().enrolling.enroll({ token, method, body });
  return issuedCertificate(cert, client.key);
};

const router = (kit: Kit, { id, name }: TestEntity, method: Method, initialCertificate?: TestCertificate): TestRouter => {
  let certificate = initialCertificate;
  let connection: RouterConnection | undefined;
  const ownCertificate = async (): Promise<TestCertificate> => {
    const { enrollmentJwt } = await detailsOf(kit, id, method);
    if (enrollmentJwt) certificate = await obtainCertificate(kit, enrollmentJwt);
    if (!certificate) throw new TypeError(`router '${name}' was enrolled by other means, so its key is unknown`);
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
