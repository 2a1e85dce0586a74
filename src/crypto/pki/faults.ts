import { MAX_CHAIN } from './certificate.ts';
import type { ChainFault } from './chain.ts';
import { MAX_DER, type PemFault } from './pem.ts';
import { ACCEPTED_KEYS } from './strength.ts';

/** The expected content of a PEM text. */
interface Expected {
  /** The label of its blocks. Default: `CERTIFICATE`. */
  readonly label?: string;
  /** Maximum number of blocks. Default: that of a chain. */
  readonly maxBlocks?: number;
}

/** Describes why a PEM text is invalid, and what is expected. Completes a sentence such as `certPem must be certificates in PEM: ...`. */
export const pemFaultText = (fault: PemFault, { label = 'CERTIFICATE', maxBlocks = MAX_CHAIN }: Expected = {}): string =>
  ({
    noPem: `it contains no block from -----BEGIN ${label}----- to -----END ${label}-----`,
    anotherType: `it contains a block of another type than ${label}`,
    malformed: `the content of a block ${label} is damaged: it must be the DER of one structure, in base64`,
    trailingData: 'a block in it has no beginning or no end',
    tooLarge: `it is too large: a block may have at most ${MAX_DER} bytes, and a limited number of names and extensions`,
    tooMany: `it contains more than ${maxBlocks} ${maxBlocks === 1 ? 'block' : 'blocks'}`,
  })[fault];

/**
 * Describes an unsupported critical extension, because of which the certificate must be rejected (RFC 5280, section 4.2).
 * @param oid the OID of the extension
 */
export const unknownCriticalText = (oid: string): string =>
  oid === NAME_CONSTRAINTS
    ? 'critical name constraints, which this controller does not support: use an authority without them'
    : `a critical extension that this controller does not support: ${oid}`;

const NAME_CONSTRAINTS = '2.5.29.30';

/** Describes why a certificate is not accepted below an authority, and what is expected. */
export const chainFaultText: Readonly<Record<ChainFault, string>> = {
  noChain:
    'the certificate must be signed with the private key of an authority that may sign certificates, and must not have an unsupported critical extension',
  notValidNow: 'the certificate, or that of the authority, has expired or is not valid yet',
  wrongUsage: 'the certificate, or that of the authority, does not allow this usage: see its extended key usage',
  weak: `keys must be ${ACCEPTED_KEYS}, and signatures made with SHA-256, SHA-384 or SHA-512`,
  tooManyCertificates: `at most ${MAX_CHAIN} certificates may be between the certificate and the authority`,
};
