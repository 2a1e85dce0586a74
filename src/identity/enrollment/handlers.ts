import type { Call } from '../../call/call.ts';
import { type Handlers, implement } from '../../call/implement.ts';
import { crudHandlers, deleteRow } from '../../call/resources/crud.ts';
import { authenticator } from '../../contract/api/authenticators.ts';
import { enrolling } from '../../contract/api/enrolling.ts';
import { enrollment, enrollments } from '../../contract/api/enrollments.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { authenticatorMethods } from '../authenticators/methods.ts';
import { endSessionsAfterPasswordChange } from '../authenticators/passwords.ts';
import { addEnrollment, enrolleeOf, enrollmentLink, requireLater } from './behaviour.ts';
import { becomeIdentity } from './by-certificate.ts';
import { enrollByToken } from './by-token.ts';
import { enroll } from './enroll.ts';
import type { EnrollmentMethod, EnrollmentMethods, ListControllers } from './method.ts';
import { identityMethods } from './methods.ts';
import { newToken } from './token.ts';

const refresh = async (call: Call, { id, body: { expiresAt } }: { readonly id: string; readonly body: { readonly expiresAt: string } }) => {
  requireLater(expiresAt, call);
  const row = await call.read((entities) => entities.require(enrollment, id));
  const [, sub] = enrolleeOf(row);
  const changes = { expiresAt, ...(await newToken(call, { sub, method: row.method, expiresAt })) };
  await call.write(async (entities) => entities.update(enrollment, await entities.require(enrollment, id), changes));
  return enrollmentLink(id);
};

export const enrollmentEntries = implement(enrollments, { ...crudHandlers(enrollments, enrollment), refresh });

/** The functions of other rooms that enrollment needs. */
export interface EnrollingDependencies {
  readonly enrollRouter: EnrollmentMethod;
  readonly extendRouter: Handlers<(typeof enrolling)['operations']>['extendRouter'];
  readonly controllersForClients: ListControllers;
}

/** Lists the controllers before the enrollment is completed, because a failure must not consume the enrollment. */
const withControllers =
  (method: EnrollmentMethod, listControllers: ListControllers): EnrollmentMethod =>
  async (call, row, offer) => {
    const { answer, complete } = await method(call, row, offer);
    return { answer: { ...answer, ...(await listControllers(call)) }, complete };
  };

export const enrollingEntries = ({ enrollRouter, extendRouter, controllersForClients }: EnrollingDependencies) => {
  const { ott, ottca, updb } = identityMethods;
  const methods: EnrollmentMethods = {
    ott: withControllers(ott, controllersForClients),
    ottca: withControllers(ottca, controllersForClients),
    updb: withControllers(updb, controllersForClients),
    erott: enrollRouter,
    trott: enrollRouter,
  };
  return implement(enrolling, {
    enroll: (call, { token, method, issuerId, body = {} }) => {
      if (method === 'ca' && !token) return becomeIdentity(call, body);
      if (method === 'token' && !token) return enrollByToken(call, { issuerId, clientCsr: body.clientCsr }, controllersForClients);
      return enroll(call, methods, { token, method, offer: body });
    },
    ott: (call, { body: { token, ...offer } }) => enroll(call, methods, { token, method: 'ott', offer }),
    ottca: (call, { body: { token } }) => enroll(call, methods, { token, method: 'ottca', offer: {} }),
    erott: (call, { body: { token, clientCsr: certCsr, serverCsr: serverCertCsr } }) =>
      enroll(call, methods, { token, method: 'erott', offer: { certCsr, serverCertCsr } }),
    trott: (call, { body: { token, clientCsr: certCsr, serverCsr: serverCertCsr } }) =>
      enroll(call, methods, { token, method: 'trott', offer: { certCsr, serverCertCsr } }),
    extendRouter,
    ca: (call, { body = {} }) => becomeIdentity(call, body),
    token: (call, { issuerId, body: { clientCsr } }) => enrollByToken(call, { issuerId, clientCsr }, controllersForClients),
    updb: (call, { token, body }) => {
      if (!token) throw invalidField('token', 'token in query is required', undefined);
      return enroll(call, methods, { token, method: 'updb', offer: body });
    },
  });
};

/** Replaces an authenticator with an enrollment, in one transaction. */
export const reEnrollAuthenticator = (
  call: Call,
  { id, body: { expiresAt } }: { readonly id: string; readonly body: { readonly expiresAt: string } },
) => {
  requireLater(expiresAt, call);
  return call.write(async (entities) => {
    const row = await entities.require(authenticator, id);
    const created = await addEnrollment(entities, call, {
      identityId: row.identityId,
      expiresAt,
      ...authenticatorMethods[row.method].renewal(row),
    });
    await deleteRow(entities, authenticator, id, call);
    if (row.method === 'updb') await endSessionsAfterPasswordChange(entities, call, row.identityId);
    return enrollmentLink(created.id);
  });
};
