import type { ApiSessionActor } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { signerIn } from '../../contract/api/api-sessions.ts';
import { ApiError, type ErrorCode } from '../../contract/errors/index.ts';
import type { AuthenticationMethod } from '../../runtime/observability/events.ts';

/** Runs a login and emits its outcome. Emits nothing if the login was not attempted, e.g. because a queue was full. */
export const observedLogin = async (
  call: Call,
  method: AuthenticationMethod,
  login: () => Promise<ApiSessionActor>,
): Promise<ApiSessionActor> => {
  try {
    const actor = await login();
    call.observation?.authentication(method, 'succeeded', actor.identity.id);
    emitSuccess(call, method, actor);
    return actor;
  } catch (error) {
    if (isRefusal(error, 'INVALID_AUTH')) {
      call.observation?.authentication(method, 'failed');
      emitFailure(call, method);
      call.core.securityEvents.note(call, 'loginFailed', 'INVALID_AUTH', call.attempted?.identityId);
    }
    throw error;
  }
};

/** Like `observedLogin`, for an MFA code. */
export const observedCode = async (call: Call, pass: () => Promise<void>): Promise<void> => {
  try {
    await pass();
    call.observation?.authentication('mfa', 'succeeded');
  } catch (error) {
    if (isRefusal(error, 'MFA_INVALID_TOKEN')) {
      call.observation?.authentication('mfa', 'failed');
      call.core.securityEvents.note(call, 'codeFailed', 'MFA_INVALID_TOKEN', 'identity' in call.actor ? call.actor.identity.id : undefined);
    }
    throw error;
  }
};

const emitSuccess = ({ core, remoteAddress }: Call, method: AuthenticationMethod, { identity, session }: ApiSessionActor): void =>
  core.networkEvents.emit('authentication', () => {
    const signerId = signerIn(session.authenticatorId);
    return {
      event_type: 'success',
      type: method,
      authenticator_id: signerId === undefined ? session.authenticatorId : '',
      external_jwt_signer_id: signerId ?? '',
      identity_id: identity.id,
      auth_policy_id: identity.authPolicyId,
      remote_address: remoteAddress,
      success: true,
      reason: '',
      improper_client_cert_chain: session.improperClientCertChain ?? false,
    };
  });

/** Events do not distinguish the reasons of failures, which only observers receive. */
const emitFailure = ({ core, remoteAddress, attempted }: Call, method: AuthenticationMethod): void =>
  core.networkEvents.emit('authentication', () => ({
    event_type: 'fail',
    type: method,
    authenticator_id: attempted?.authenticatorId ?? '',
    external_jwt_signer_id: '',
    identity_id: attempted?.identityId ?? '',
    auth_policy_id: attempted?.authPolicyId ?? '',
    remote_address: remoteAddress,
    success: false,
    reason: 'could not authenticate',
    improper_client_cert_chain: false,
  }));

const isRefusal = (error: unknown, code: ErrorCode): boolean => error instanceof ApiError && error.code === code;
