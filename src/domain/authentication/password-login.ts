import { authPolicy } from '../../api/auth-policies.ts';
import { authenticator } from '../../api/authenticators.ts';
import { identity } from '../../api/identities.ts';
import type { SessionActor } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import type { Entities } from '../../changes/entities.ts';
import { ApiError } from '../../errors/index.ts';
import { authenticatorOf, isDisabled } from '../sessions/state.ts';
import { countWrongPassword, type Tried } from './lockout.ts';
import { invalidAuth, type LoginBody, openSession } from './login.ts';

/**
 * Login by username and password. Whoever fails is told the same and after the same work, whether the username exists, the password is
 * wrong, or the identity is disabled, locked out or not allowed to log in this way.
 * @throws ApiError `INVALID_AUTH`, `COULD_NOT_VALIDATE` without a field when username or password is missing
 */
export const loginByPassword = async (call: Call, body: LoginBody): Promise<SessionActor> => {
  const { username, password } = body;
  if (!username || !password)
    throw new ApiError('COULD_NOT_VALIDATE', { cause: { code: 'UNHANDLED', message: 'username and password fields are required' } });
  return call.core.passwordChecks.line.join(username, async (turn) => {
    const locks = (await call.read((entities) => candidateOf(entities, username, call.now())))?.updb.maxAttempts ?? 0;
    // Where wrong guesses are counted they are tried one at a time, so that a burst of them cannot outrun the count.
    if (locks > 0) await turn();
    return attempt(call, body, username, password);
  });
};

const attempt = async (call: Call, body: LoginBody, username: string, password: string): Promise<SessionActor> => {
  const { passwordChecks, platform } = call.core;
  const candidate = await call.read((entities) => candidateOf(entities, username, call.now()));
  const hash = candidate?.own.passwordHash ?? undefined;
  const right = await passwordChecks.verify(password, hash);
  if (!candidate || !hash) throw invalidAuth();
  const rehashed = right && platform.passwords.isOutdated(hash) ? await passwordChecks.hash(password) : undefined;
  const actor = await call.write(async (entities) => {
    // The password was checked outside: what it was checked against must still hold.
    const current = await candidateOf(entities, username, call.now());
    if (current?.own.passwordHash !== hash) return undefined;
    if (right) return succeed(entities, current, body, rehashed, call);
    await countWrongPassword(entities, current, call.now());
    return undefined;
  });
  if (!actor) throw invalidAuth();
  return actor;
};

const candidateOf = async (entities: Entities, username: string, now: string): Promise<Tried | undefined> => {
  const own = await authenticatorOf(entities, username);
  const owner = own && (await entities.get(identity, own.identityId));
  const policy = owner && (await entities.get(authPolicy, owner.authPolicyId));
  if (!own || !owner || !policy?.primary.updb.allowed || isDisabled(owner, now)) return undefined;
  return { own, owner, updb: policy.primary.updb };
};

const succeed = async (
  entities: Entities,
  { own, owner }: Tried,
  body: LoginBody,
  passwordHash: string | undefined,
  call: Call,
): Promise<SessionActor> => {
  if (passwordHash) await entities.update(authenticator, own, { passwordHash, failedAttempts: 0 });
  else if (own.failedAttempts) await entities.update(authenticator, own, { failedAttempts: 0 });
  return openSession(entities, owner, own.id, body, call);
};
