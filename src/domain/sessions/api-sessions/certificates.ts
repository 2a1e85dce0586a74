import { apiSessionCertificate, apiSessionCertificates } from '../../../api/api-session-certificates.ts';
import { apiSessionOf } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError, notFound, RETRY_AFTER } from '../../../errors/index.ts';
import { certificatesPem } from '../../../pki/certificate.ts';
import { issue, sessionProfile } from '../../../pki/issue.ts';
import { readRequest } from '../../../pki/request.ts';
import { equals, stringField } from '../../../query/index.ts';
import { listRows } from '../../../resources/crud.ts';
import { selfLink } from '../../../resources/links.ts';
import { presentOne } from '../../../resources/present.ts';
import { newId } from '../../../storage/ids.ts';

/** Maximum number of unexpired certificates per session. */
const MAX_CERTIFICATES = 50;

const ofSession = (call: Call) => equals(stringField('apiSessionId'), apiSessionOf(call.actor).session.id);

/** Loads a certificate of the caller's session. Those of other sessions count as not found. */
const requireOwn = async (entities: Entities, call: Call, id: string) => {
  const row = await entities.require(apiSessionCertificate, id);
  if (row.apiSessionId !== apiSessionOf(call.actor).session.id) throw notFound(apiSessionCertificate.kind, id);
  return row;
};

/** Makes room for a new certificate by removing expired ones. @throws ApiError `RATE_LIMITED` if there are too many unexpired ones */
const makeRoom = async (entities: Entities, call: Call): Promise<void> => {
  const now = call.now();
  const existing = await entities.list(apiSessionCertificate, { where: ofSession(call) });
  const expired = existing.filter(({ validTo }) => validTo !== null && validTo < now);
  if (existing.length - expired.length >= MAX_CERTIFICATES) throw new ApiError('RATE_LIMITED', { retryAfter: RETRY_AFTER.quota });
  for (const row of expired) await entities.remove(apiSessionCertificate, row);
};

export const apiSessionCertificateEntries = implement(apiSessionCertificates, {
  list: (call, query) => call.read((entities) => listRows(entities, apiSessionCertificate, query, call, { within: ofSession(call) })),
  get: (call, { id }) =>
    call.read(async (entities) => presentOne(entities, apiSessionCertificate, await requireOwn(entities, call, id), call)),
  create: async (call, { body }) => {
    const { session, identity } = apiSessionOf(call.actor);
    const { enrollments, pki, platform } = call.core;
    const id = newId(platform.random);
    const { certificate, signer } = await enrollments.run(async () => {
      const request = await readRequest(body.csr);
      if (!request) throw new ApiError('COULD_NOT_PROCESS_CSR');
      const signer = await pki.signer();
      const uri = `spiffe://${signer.trustDomain}/identity/${identity.id}/apiSession/${session.id}/apiSessionCertificate/${id}`;
      return { signer, certificate: await issue(sessionProfile(request, platform.clock.now(), uri), signer, platform.random) };
    }, call);
    const chain = certificatesPem([certificate, ...signer.chain]);
    await call.write(async (entities) => {
      await makeRoom(entities, call);
      await entities.insert(apiSessionCertificate, {
        id,
        apiSessionId: session.id,
        certificate: chain,
        fingerprint: certificate.fingerprint,
        subject: certificate.subject,
        validFrom: new Date(certificate.notBefore).toISOString(),
        validTo: new Date(certificate.notAfter).toISOString(),
      });
    });
    return { _links: selfLink(apiSessionCertificate, id), id, certificate: chain, cas: certificatesPem(signer.bundle) };
  },
  delete: async (call, { id }) => {
    await call.write(async (entities) => entities.remove(apiSessionCertificate, await requireOwn(entities, call, id)));
    return {};
  },
});
