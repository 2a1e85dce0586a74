import { apiSessionOf } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { listRows } from '../../call/resources/crud.ts';
import { selfLink } from '../../call/resources/links.ts';
import { presentOne } from '../../call/resources/present.ts';
import { apiSessionCertificate, apiSessionCertificates } from '../../contract/api/api-session-certificates.ts';
import { ApiError, notFound } from '../../contract/errors/index.ts';
import { certificatesPem } from '../../crypto/pki/certificate.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { issueSessionCertificate, storeSessionCertificate } from './session-certificates.ts';

const ofSession = (call: Call) => equals(stringField('apiSessionId'), apiSessionOf(call.actor).session.id);

/**
 * Requires a certificate of the caller's session.
 * @throws ApiError `NOT_FOUND` also for certificates of other sessions
 */
const requireOwn = async (entities: Entities, call: Call, id: string) => {
  const row = await entities.require(apiSessionCertificate, id);
  if (row.apiSessionId !== apiSessionOf(call.actor).session.id) throw notFound(apiSessionCertificate.kind, id);
  return row;
};

export const apiSessionCertificateEntries = implement(apiSessionCertificates, {
  list: (call, query) => call.read((entities) => listRows(entities, apiSessionCertificate, query, call, { within: ofSession(call) })),
  get: (call, { id }) =>
    call.read(async (entities) => presentOne(entities, apiSessionCertificate, await requireOwn(entities, call, id), call)),
  create: async (call, { body }) => {
    const issued = await issueSessionCertificate(call, apiSessionOf(call.actor).session, body.csr);
    if (!issued) throw new ApiError('COULD_NOT_PROCESS_CSR');
    await call.write((entities) => storeSessionCertificate(entities, call, issued));
    const { id, chain } = issued;
    const { bundle } = await call.core.pki.signer();
    return { _links: selfLink(apiSessionCertificate, id), id, certificate: chain, cas: certificatesPem(bundle) };
  },
  delete: async (call, { id }) => {
    await call.write(async (entities) => entities.remove(apiSessionCertificate, await requireOwn(entities, call, id)));
    return {};
  },
});
