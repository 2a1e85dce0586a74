import { identity } from '../api/identities.ts';
import type { Kind } from '../api/kit/resource.ts';
import { assertNoneProtectedReached, assertNotProtected, assertOwnIdentityKept } from '../authentication/protected-identities.ts';
import { type Actor, isAdministrator } from '../call/actor.ts';
import type { Entry } from '../call/call.ts';
import { type Grant, isLimited, OWN_RIGHT } from '../call/grant.ts';
import { visibleFields, visibleRow } from '../changelog/visible.ts';
import type { Entities } from '../entities/entities.ts';
import { administratorsOnly, notFound, unauthorized } from '../errors/index.ts';
import type { Logger } from '../platform/platform.ts';
import { and, equals, stringField } from '../query/index.ts';
import { isForSomebody } from '../resources/credential-fields.ts';
import { granted, isOnKind, isVisible } from '../resources/granted.ts';
import type { Row } from '../storage/port.ts';
import { type AskAside, askAsides } from './asides.ts';
import {
  assertByToken,
  assertOwesNothing,
  assertUnknownToRouters,
  authorize,
  type Permit,
  permitByDeclaration,
  StalePermit,
} from './authorize.ts';
import { boundByToken, heldWithin, verdictByPermission } from './by-permission.ts';
import { answerOfHost, isWaitRefusal } from './host-code.ts';
import { type AuthorizationRequest, bounded, calledOperation, checkedVerdict, type HostRule, type Verdict } from './host-rule.ts';
import { namedIn } from './named-kinds.ts';
import { principalOf } from './principal.ts';
import { assertWrittenWithin } from './written-within.ts';

/** The rule of the host decides; without an answer of it, what the operation declares, and the permissions of the calling identity. */
export const createPermit =
  (rule: HostRule | undefined, logger: Logger): Permit =>
  async (call, entry, source, input) => {
    const { operation } = entry;
    const judgedActor = call.actor;
    assertByToken(judgedActor, operation);
    const bound = boundByToken(judgedActor, operation);
    const permitted = verdictByPermission(call, judgedActor, operation);
    const isOwnCode = judgedActor.kind === 'system' && source.actor === undefined;
    if (isOwnCode || (!rule && !permitted)) return permitByDeclaration(call, entry, source, input);
    const called = calledOperation(entry, judgedActor, judgedActor.kind === 'system' || permitted !== undefined);
    const named = namedIn(operation);
    const ids = input as Readonly<Record<string, string>>; // the path parameters, if the operation has any
    const kind = named.find(([parameter]) => parameter === 'id')?.[1];
    const load = async (entities: Entities): Promise<Row | undefined> => kind && entities.get(kind, ids.id ?? '');
    const target = await call.read(load);
    const seen = () => kind && target && visibleFields(kind, target);

    const ask = async (request: Pick<AuthorizationRequest, 'about' | 'operation' | 'right' | 'input' | 'target'>): Promise<Verdict> => {
      const asked = rule?.({ ...call.attribution, actor: principalOf(judgedActor, source), ...request });
      const verdict = await answerOfHost(asked, source.hostTransaction !== undefined, call.core.platform.clock);
      return verdict === undefined && judgedActor.kind === 'system' && request.about === 'credentials' ? true : verdict;
    };
    const logFailure = (effect: string, error: unknown) =>
      logger.error(`the rule of authorize failed: ${effect}`, { requestId: call.requestId, operationId: operation.operationId, error });
    const askAside: AskAside = async (aside) => {
      try {
        const own = checkedVerdict(await ask({ ...aside, target: undefined })) ?? permitted?.aside(aside);
        return bound ? [own, bound.aside(aside)] : [own];
      } catch (error) {
        if (isWaitRefusal(error)) throw error;
        if (aside.about === 'credentials') {
          logFailure('no credentials are shown', error);
          return [false];
        }
        logFailure('the call is refused', error);
        throw refused(entry);
      }
    };
    const askCall = async (): Promise<Verdict> => {
      assertOwesNothing(judgedActor, operation);
      assertUnknownToRouters(judgedActor, operation);
      try {
        return checkedVerdict(await ask({ about: 'call', ...called, input, target: seen() }), entry, called);
      } catch (error) {
        if (isWaitRefusal(error)) throw error;
        logFailure('the call is refused', error);
        return false;
      }
    };

    const grantOf = async (verdict: Verdict): Promise<Grant> => {
      if (verdict === false) throw refused(entry);
      const byPermission = verdict === undefined ? permitted : undefined;
      const own = verdict ?? byPermission?.verdict;
      const decided = bound ? bounded(own, bound.verdict) : own;
      if (decided === undefined) authorize(judgedActor, operation);
      const right = byPermission?.right ?? called.right;
      // The operation is open to everyone or to every session, so there is nothing to limit.
      if (right === undefined) return OWN_RIGHT;
      const isDelegated = decided !== undefined && !('identity' in judgedActor && isAdministrator(judgedActor));
      return {
        ...(typeof decided === 'object' ? decided : {}),
        right,
        isDelegated,
        ...(byPermission ? { permissions: heldWithin(byPermission, bound) } : {}),
        ...(await askAsides(operation, right, isDelegated, askAside)),
      };
    };

    const decide = async () => grantOf(await askCall());
    const answers = rule && source.whole?.answers;
    const decided = await (answers
      ? answers.answer(['authorize', called, input, lasting(seen()), judgedBy(judgedActor)], decide)
      : decide());
    const grant = decided ?? OWN_RIGHT;
    const isWrite = grant.right !== undefined && !grant.right.endsWith('.read');

    const assertWithin = async (entities: Entities, target: Row | undefined): Promise<void> => {
      for (const [parameter, kind] of named) {
        const id = ids[parameter] ?? '';
        // Related lists check their parent themselves: some are empty if the parent is unknown.
        const isParent = parameter === 'id' && operation.answer.is === 'page';
        if (!isOnKind(grant.right, kind) && !isParent && !(await isVisible(entities, kind, id, call, grant))) throw notFound(kind.kind, id);
      }
      if (!kind || !target) return;
      // A caller with a limit does not even learn that it exists.
      if (grant.permissions && !isLimited(grant) && isForSomebody(kind)) await assertNotProtected(entities, kind, target, grant);
      const where = await granted(entities, kind, call, [target], grant);
      if (where.op !== 'all' && (await entities.count(kind, and(equals(stringField('id'), target.id), where))) === 0)
        throw notFound(kind.kind, target.id);
      if (grant.isDelegated && isWrite) await assertNotProtected(entities, kind, target, grant);
    };

    if (grant.permissions && kind && operation.method === 'PATCH') assertDelegable(kind, call.bodyFields);
    if (isLimited(grant) || grant.isDelegated) await call.read((entities) => assertWithin(entities, target));
    return {
      grant,
      isProvisional: decided === undefined,
      recheck: async (entities, actor) => {
        assertOwesNothing(actor, operation);
        const now = await load(entities);
        if (now?.version !== target?.version || identityVersion(actor) !== identityVersion(judgedActor)) throw new StalePermit();
        await assertWithin(entities, now);
      },
      verify: async (entities) => {
        assertOwnIdentityKept(judgedActor, entities.changes);
        if (grant.isDelegated) await assertNoneProtectedReached(entities, entities.changes, grant);
        await assertWrittenWithin(entities, call);
      },
    };
  };

/** @throws ApiError `UNAUTHORIZED` if a body names a field that permissions never allow to set */
const assertDelegable = (kind: Kind, names: readonly string[]): void => {
  const field = names.find((name) => Object.hasOwn(kind.fields, name) && kind.fields[name]?.administratorsOnly);
  if (field) throw administratorsOnly(`non-admins may not set ${field} of an ${kind.kind}`);
};

/** An entity without what changes with each run of a transaction. */
const lasting = (row: object | undefined) => row && { ...row, version: 0, createdAt: '', updatedAt: '' };

/** The actor, as far as the host's rule may look at it. */
const judgedBy = (actor: Actor): unknown =>
  'identity' in actor ? [lasting(visibleRow(identity, actor.identity)), actor.kind === 'token' && lasting(actor.apiToken)] : actor.kind;

const refused = ({ group, verb }: Entry) => unauthorized(`the host does not allow ${group}.${verb} here`);

const identityVersion = (actor: Actor): string | undefined =>
  'identity' in actor ? `${actor.identity.version} ${actor.kind === 'token' ? actor.apiToken.version : ''}` : undefined;
