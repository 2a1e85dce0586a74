import type { ApiSessionActor } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
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
    return actor;
  } catch (error) {
    if (isRefusal(error, 'INVALID_AUTH')) {
      call.observation?.authentication(method, 'failed');
      call.core.securityEvents.note(call, 'loginFailed', 'INVALID_AUTH', call.attemptedId);
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

const isRefusal = (error: unknown, code: ErrorCode): boolean => error instanceof ApiError && error.code === code;
