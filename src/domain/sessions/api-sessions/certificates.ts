import { apiSessionCertificate, apiSessionCertificates } from '../../../api/api-session-certificates.ts';
import { apiSessionOf } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError, notFound } from '../../../errors/index.ts';
import { certificatesPem } from '../../../pki/certificate.ts';
import { equals, stringField } from '../../../query/index.ts';
import { listRows } from '../../../resources/crud.ts';
import { selfLink } from '../../../resources/links.ts';
import { presentOne } from '../../../resources/present.ts';
import { issueSessionCertificate, storeSessionCertificate } from './session-certificates.ts';

const ofSession = (call: Call) => equals(stringField('apiSessionId'), apiSessionOf(call.actor).session.id);

/** Loads a certificate of the caller's session. Those of other sessions count as not found. */
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
