import * as z from 'zod';
import { data, group, operation, string } from './kit/index.ts';
import { surfaces } from './surfaces/index.ts';

/** A JWT from which clients learn the address of the network and can verify its identity. */
const networkJwt = z
  .object({
    /** Name of the JWT. */
    name: string,
    /** The JWT. */
    token: string,
  })
  .meta({ id: 'NetworkJWT' });

const open = { permission: 'open', surfaces: [surfaces.management, surfaces.client] } as const;

export const trust = group('trust', 'Certificates and JWTs that clients trust', {
  listNetworkJwts: operation('GET', '/network-jwts', {
    operationId: 'listNetworkJWTs',
    summary: 'List the JWTs with which clients join the network; they contain its address, and are signed with its server key',
    answer: data(z.array(networkJwt)),
    errors: ['NOT_CONFIGURED'],
    ...open,
  }),
  authorities: operation('GET', '/.well-known/est/cacerts', {
    operationId: 'listWellKnownCas',
    summary: 'Get the CA certificates that clients should trust, as certs-only PKCS#7 in base64 (RFC 7030, section 4.1)',
    answer: { is: 'raw', contentTypes: ['application/pkcs7-mime', 'application/json'] },
    ...open,
  }),
});
