import { decodeJwt } from 'jose';
import type { Kit } from './kit.ts';

/** Instructions for enrolling by each method, for error messages. */
const HOW_TO_ENROLL = {
  ott: 'network.enroll(jwt)',
  ottca: 'network.enroll(jwt, certificate)',
  ca: 'network.enroll(jwt, certificate)',
  erott: 'network.enrollRouter(jwt)',
  trott: 'network.enrollRouter(jwt)',
  updb: 'controller.api.enrolling.updb({ token, body: { password } })',
} as const;
type Method = keyof typeof HOW_TO_ENROLL;

/** The claims of the JWT of an enrollment or a CA. */
interface EnrollmentClaims<M extends Method> {
  /** Id of the identity, router or CA. */
  readonly sub: string;
  /** The enrollment token. */
  readonly jti: string;
  /** The enrollment method. */
  readonly em: M;
}

/**
 * Decodes the JWT of an enrollment or a CA.
 * @param methods the accepted methods
 * @throws TypeError if the JWT is for another network or another method
 */
export const readEnrollmentJwt = <M extends Method>({ controller }: Kit, jwt: string, methods: readonly M[]): EnrollmentClaims<M> => {
  const { iss = '', sub = '', jti = '', em } = decodeJwt<{ readonly em: string }>(jwt);
  const { address } = controller.settings;
  if (iss.replace(/\/$/, '') !== address) throw new TypeError(`the JWT is for the network at ${iss}, but this network is at ${address}`);
  const method = methods.find((candidate) => candidate === em);
  if (method) return { sub, jti, em: method };
  throw new TypeError(`the JWT is for the method ${em}: ${HOW_TO_ENROLL[em as Method] ?? `none of ${Object.keys(HOW_TO_ENROLL).join()}`}`);
};
