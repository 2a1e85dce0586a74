import { type ApiSessionActor, hasAdministratorRights } from '../../../call/actor.ts';
import { isDisabled } from '../../../call/authentication/actors.ts';
import type { AttemptedLogin, Call } from '../../../call/call.ts';
import type { CheckPassword } from '../../../call/password-checks.ts';
import { authenticator, authPolicy, identity } from '../../../contract/api/kinds.ts';
import type { RowOf } from '../../../contract/api/kit/index.ts';
import { ApiError } from '../../../contract/errors/index.ts';
import { equals, stringField } from '../../../query/index.ts';
import type { AuthenticationFailure } from '../../../runtime/observability/events.ts';
import type { Entities } from '../../../store/entities/entities.ts';
import { countWrongPassword, type FailedAttempt, type PasswordAttempt } from '../../identities/lockout.ts';
import { equalizeTiming } from '../decoy.ts';
import { invalidAuth, type LoginBody, type OpenSession } from '../login.ts';

/**
 * Login with username and password. Every failure gets the same response, after the same hashing and the same number of store requests,
 * whether the username is unknown, the password wrong, or the identity disabled, locked out or not allowed to log in this way. Only the
 * guess that locks an identity out takes longer.
 * @throws ApiError `INVALID_AUTH`, `COULD_NOT_VALIDATE` without a field if username or password is missing, `SERVER_TOO_MANY_REQUESTS`
 */
export const loginByPassword = async (call: Call, body: LoginBody, open: OpenSession): Promise<ApiSessionActor> => {
  const { username, password } = body;
  if (!username || !password)
    throw new ApiError('COULD_NOT_VALIDATE', { cause: { code: 'UNHANDLED', message: 'username and password fields are required' } });
  const ofAdministrator = () => call.read((entities) => belongsToAdministrator(entities, username));
  return call.core.passwordChecks.guess(call, username, ofAdministrator, (check) =>
    attempt(call, { username, password }, check, body, open),
  );
};

const attempt = async (
  call: Call,
  { username, password }: { readonly username: string; readonly password: string },
  check: CheckPassword,
  body: LoginBody,
  open: OpenSession,
): Promise<ApiSessionActor> => {
  const candidate = await call.read((entities) => candidateOf(entities, username, call.now()));
  const hash = candidate.tried?.own.passwordHash ?? undefined;
  const { isRight, renewedHash } = await check(password, hash);
  const { actor, counted } = await call.write(async (entities): Promise<Outcome> => {
    // The password was checked outside the transaction, so the hash must not have changed since.
    const { tried, refusal, attempted } = await candidateOf(entities, username, call.now());
    const current = hash !== undefined && tried?.own.passwordHash === hash ? tried : undefined;
    call.observation?.setFailureReason(refusal, attempted?.identityId);
    call.attempted = attempted;
    if (isRight) {
      if (!current) return {};
      await storeSuccess(entities, current, renewedHash);
      return { actor: await open(entities, { owner: current.owner, authenticatorId: current.own.id }, body, call) };
    }
    const counted = current ? await countWrongPassword(entities, current, call.now()) : 'ignored';
    await equalizeTiming(entities, counted !== 'ignored');
    return { counted };
  });
  if (actor) return actor;
  if (counted === 'locked') {
    call.observation?.authentication('password', 'locked');
    call.core.securityEvents.note(call, 'lockedOut', 'INVALID_AUTH', call.attempted?.identityId);
  }
  throw invalidAuth();
};

interface Outcome {
  readonly actor?: ApiSessionActor;
  /** The effect of a wrong password. */
  readonly counted?: FailedAttempt;
}

/** The authenticator of a username and its identity, or the reason why the identity may not log in with it. */
interface Candidate {
  readonly tried?: PasswordAttempt;
  readonly refusal?: AuthenticationFailure;
  readonly attempted?: AttemptedLogin | undefined;
}

/** Placeholder for an unknown id, so that the same queries run as for a known one. */
const NO_ID = 'none';

/** Always runs three queries, so that timing reveals nothing. */
const candidateOf = async (entities: Entities, username: string, now: string): Promise<Candidate> => {
  const own = await authenticatorOf(entities, username);
  const owner = await entities.get(identity, own?.identityId ?? NO_ID);
  const policy = await entities.get(authPolicy, owner?.authPolicyId ?? NO_ID);
  if (!own || !owner) return { refusal: 'unknown' };
  const attempted = { identityId: owner.id, authenticatorId: own.id, authPolicyId: owner.authPolicyId };
  if (!policy?.primary.updb.allowed || isDisabled(owner, now)) return { refusal: 'not-allowed', attempted };
  return { tried: { own, owner, updb: policy.primary.updb }, attempted };
};

const belongsToAdministrator = async (entities: Entities, username: string): Promise<boolean> => {
  const own = await authenticatorOf(entities, username);
  const owner = await entities.get(identity, own?.identityId ?? NO_ID);
  return owner !== undefined && hasAdministratorRights(owner);
};

const storeSuccess = async (entities: Entities, { own }: PasswordAttempt, passwordHash: string | undefined): Promise<void> => {
  if (passwordHash) await entities.update(authenticator, own, { passwordHash, failedAttempts: 0 });
  else if (own.failedAttempts) await entities.update(authenticator, own, { failedAttempts: 0 });
};

const authenticatorOf = (entities: Entities, username: string): Promise<RowOf<typeof authenticator> | undefined> =>
  entities.find(authenticator, equals(stringField('username'), username));
