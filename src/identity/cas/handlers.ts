import { advertisedAddress } from '../../call/advertised-address.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { crudHandlers } from '../../call/resources/crud.ts';
import { ca, cas } from '../../contract/api/cas.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { type Certificate, readCertificates } from '../../crypto/pki/certificate.ts';
import { validateChain } from '../../crypto/pki/chain.ts';
import { chainFaultText, pemFaultText } from '../../crypto/pki/faults.ts';
import type { PemFault } from '../../crypto/pki/pem.ts';
import { authorityOf } from './trust.ts';

export const caEntries = implement(cas, {
  ...crudHandlers(cas, ca),
  verify: async (call, { id, body }) => {
    const certificate = await readVerification(body);
    await call.write(async (entities) => {
      const row = await entities.require(ca, id);
      if (row.isVerified) throw new ApiError('CA_ALREADY_VERIFIED');
      if (certificate.commonName !== row.verificationToken) throw new ApiError('INVALID_COMMON_NAME');
      const authority = await authorityOf(row);
      const { fault = undefined } = authority
        ? await validateChain(certificate, { anchors: [authority.certificate], intermediates: [], now: call.core.platform.clock.now() })
        : { fault: 'noChain' as const };
      if (fault) throw new ApiError('CERTIFICATE_FAILED_VALIDATION', { cause: { code: 'UNHANDLED', message: chainFaultText[fault] } });
      await entities.update(ca, row, { isVerified: true, isWrittenByDelegate: call.grant.isDelegated });
    });
    return {};
  },
  getJwt: async (call, { id }) => {
    await call.read((entities) => entities.require(ca, id));
    return { contentType: 'application/jwt', body: await enrollerJwt(call, id) };
  },
});

/** A JWT that directs clients to enroll with a certificate of the CA. It is not secret, and remains valid as long as the CA. */
const enrollerJwt = async ({ core }: Call, id: string): Promise<string> => {
  const iss = `${advertisedAddress(core)}/`;
  const key = await core.pki.networkKey();
  return key.sign({ iss, sub: id, aud: ['openziti-enroller'], jti: id, em: 'ca', ctrls: null });
};

/** Error codes for a text that is not a certificate. */
const FAULT_CODES: Readonly<Partial<Record<PemFault, 'EXPECTED_PEM_CERTIFICATE' | 'COULD_NOT_PARSE_DER_BLOCK'>>> = {
  anotherType: 'EXPECTED_PEM_CERTIFICATE',
  malformed: 'COULD_NOT_PARSE_DER_BLOCK',
};

/**
 * Reads the first certificate of a PEM text.
 * @throws ApiError `EXPECTED_PEM_CERTIFICATE`, `COULD_NOT_PARSE_DER_BLOCK`, `COULD_NOT_PARSE_BODY`
 */
const readVerification = async (pem: string): Promise<Certificate> => {
  const { value: [certificate] = [], fault = 'noPem' } = await readCertificates(pem);
  if (certificate) return certificate;
  const code = FAULT_CODES[fault];
  throw code
    ? new ApiError(code)
    : new ApiError('COULD_NOT_PARSE_BODY', {
        cause: { code: 'UNHANDLED', message: `the body must be a certificate in PEM: ${pemFaultText(fault)}` },
      });
};
