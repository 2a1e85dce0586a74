import { decodeJwt } from 'jose';
import type { Kit } from './kit.ts';

/** How each method is enrolled by. */
const HOW = {
  ott: 'network.enroll(jwt)',
  ottca: 'network.enroll(jwt, certificate)',
  ca: 'network.enroll(jwt, certificate)',
  erott: 'network.enrollRouter(jwt)',
  trott: 'network.enrollRouter(jwt)',
  updb: 'controller.api.enrolling.updb({ token, body: { password } })',
} as const;
type Method = keyof typeof HOW;

/** The claims of the JWT of an enrollment, or of a CA. */
interface EnrollmentClaims<M extends Method> {
  /** Id of the identity or router that it is for, or of a CA. */
  readonly sub: string;
  /** The token. */
  readonly jti: string;
  /** The method. */
  readonly em: M;
}

/**
 * Reads the JWT of an enrollment.
 * @param methods that will do
 * @throws TypeError for one of another network, or for another method
 */
export const readEnrollmentJwt = <M extends Method>({ controller }: Kit, jwt: string, methods: readonly M[]): EnrollmentClaims<M> => {
  const { iss = '', sub = '', jti = '', em } = decodeJwt<{ readonly em: string }>(jwt);
  const { address } = controller.settings;
  if (iss.replace(/\/$/, '') !== address) throw new TypeError(`the JWT leads to ${iss}, and this network is at ${address}`);
  const method = methods.find((one) => one === em);
  if (method) return { sub, jti, em: method };
  throw new TypeError(`the JWT is for the method ${em}: ${HOW[em as Method] ?? `none of ${Object.keys(HOW).join()}`}`);
};
