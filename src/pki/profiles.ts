import { HOUR, MINUTE, YEAR } from '../platform/clock.ts';
import { type AlternativeNames, Eku, KeyUsage } from './certificate.ts';
import type { Profile } from './issue.ts';
import type { CertificateRequest } from './request.ts';

const LEAF = KeyUsage.digitalSignature | KeyUsage.keyEncipherment | KeyUsage.dataEncipherment;

type Requested = Pick<CertificateRequest, 'publicKey'> & Pick<Profile, 'subject'>;
type Names = Partial<AlternativeNames>;

/**
 * Client certificates: valid for a year, from a minute ago for clocks that are behind. The names in the request are not copied unless they are given
 * here.
 */
export const clientProfile = ({ subject, publicKey }: Requested, now: number, names: Names = {}): Profile => ({
  subject,
  publicKey,
  notBefore: now - MINUTE,
  notAfter: now + YEAR,
  keyUsage: LEAF,
  extendedKeyUsage: [Eku.clientAuth],
  names,
});

/** For the servers of routers, with the names and addresses under which they are reached. */
export const serverProfile = (request: Requested, now: number, names: Names): Profile => ({
  ...clientProfile(request, now, names),
  extendedKeyUsage: [Eku.serverAuth],
});

/** For one API session: twelve hours, with the session as its only alternative name. */
export const sessionProfile = (request: Requested, now: number, uri: string): Profile => ({
  ...clientProfile(request, now, { uris: [uri] }),
  notBefore: now,
  notAfter: now + 12 * HOUR,
});
