import { assertNoAdministratorReached } from '../authentication/administrators.ts';
import { type Actor, isAdministrator } from '../call/actor.ts';
import type { Call, CallSource, Entry } from '../call/call.ts';
import { type Grant, OWN_RIGHT } from '../call/grant.ts';
import type { Entities } from '../changes/entities.ts';
import { visibleFields } from '../changes/visible.ts';
import { notFound, unauthorized } from '../errors/index.ts';
import type { Logger } from '../platform/platform.ts';
import { and, equals, oneOf, stringField } from '../query/index.ts';
import { granted, isOnKind } from '../resources/granted.ts';
import { allKinds } from '../resources/kinds.ts';
import type { Row } from '../storage/port.ts';
import { assertOwesNothing, authorize } from './authorize.ts';
import { calledOperation, type HostRule, targetOf, type Verdict } from './host-rule.ts';
import { principalOf } from './principal.ts';

/** Decides whether a call may be made, and how far it may go. @throws ApiError `UNAUTHORIZED`; `NOT_FOUND` for a target beyond the grant */
export type Permit = (call: Call, entry: Entry, source: CallSource, input: unknown) => Promise<PermitResult>;

/** That a call may be made. */
export interface PermitResult {
  readonly grant: Grant;
  /**
   * Called first in the call's transaction: what counts is the state that the write sees.
   * @throws as `Permit`; StalePermit when what a rule of the host's was asked about has changed since
   */
  recheck(entities: Entities, actor: Actor): Promise<void>;
  /** Called last: holds what was written against the grant. @throws ApiError `UNAUTHORIZED` */
  verify(entities: Entities): Promise<void>;
}

/** The host's rule must be asked anew, outside of the transaction: it may itself use the store. */
export class StalePermit extends Error {
  override readonly name = 'StalePermit';
}

/** Without a rule of the host's, what counts is the permission that the operation declares. */
export const permitByDeclaration: Permit = async (call, { operation }) => {
  authorize(call.actor, operation);
  return { grant: OWN_RIGHT, recheck: async (_, actor) => authorize(actor, operation), verify: async () => undefined };
};

export const createPermit =
  (rule: HostRule, logger: Logger): Permit =>
  async (call, entry, source, input) => {
    if (call.actor.kind === 'system' && source.actor === undefined) return permitByDeclaration(call, entry, source, input);
    const { operation } = entry;
    const called = calledOperation(entry);
    const kind = targetOf(entry, allKinds);
    const { id } = input as { readonly id?: string }; // of the path, where the operation has a target
    const load = async (entities: Entities): Promise<Row | undefined> => (kind && id !== undefined ? entities.get(kind, id) : undefined);
    const judged = call.actor;
    const target = await call.read(load);

    const ask = async (): Promise<Verdict> => {
      assertOwesNothing(judged, operation);
      const request = {
        actor: principalOf(judged, source),
        operation: called,
        input,
        target: kind && target && visibleFields(kind, target),
      };
      try {
        return checkedVerdict(await rule(request), entry);
      } catch (error) {
        logger.error('the rule of authorize failed: the call is refused', {
          requestId: call.requestId,
          operationId: operation.operationId,
          error,
        });
        return false;
      }
    };

    const grantOf = (verdict: Verdict): Grant => {
      if (verdict === false) throw unauthorized(`the host does not allow ${entry.group}.${entry.verb} here`);
      if (verdict === undefined) {
        authorize(judged, operation);
        return OWN_RIGHT;
      }
      // What is open to everybody, or to every session, it has anyway.
      const isDelegated = called.right !== undefined && !('identity' in judged && isAdministrator(judged));
      return verdict === true ? { isDelegated } : { isDelegated, where: verdict.where };
    };

    const grant = grantOf(await ask());

    const assertWithin = async (entities: Entities, target: Row | undefined): Promise<void> => {
      if (grant.where === undefined || !kind || !target || !isOnKind(operation, kind)) return;
      const where = and(equals(stringField('id'), target.id), await granted(entities, kind, call, grant));
      if ((await entities.count(kind, where)) === 0) throw notFound(kind.kind, target.id);
    };

    if (grant.where !== undefined) await call.read((entities) => assertWithin(entities, target));
    return {
      grant,
      recheck: async (entities, actor) => {
        const now = await load(entities);
        if (now?.version !== target?.version || identityVersion(actor) !== identityVersion(judged)) throw new StalePermit();
        await assertWithin(entities, now);
      },
      verify: async (entities) => {
        if (grant.isDelegated) await assertNoAdministratorReached(entities, entities.changes);
        if (grant.where !== undefined) await assertWrittenWithin(entities, call);
      },
    };
  };

/** @throws TypeError for what is no verdict, and for a limit on an operation that has nothing to be limited */
const checkedVerdict = (verdict: Verdict, { group, verb, operation }: Entry): Verdict => {
  if (verdict === undefined || typeof verdict === 'boolean') return verdict;
  if (typeof verdict !== 'object' || verdict === null || typeof verdict.where !== 'string')
    throw new TypeError(`authorize takes true, false, undefined or { where }, got ${JSON.stringify(verdict)}`);
  const { answer, path } = operation;
  const isLimited = allKinds.some(
    (kind) =>
      isOnKind(operation, kind) &&
      (path.startsWith(`/${kind.collection}/{id}`) ||
        (answer.is === 'created' && path === `/${kind.collection}`) ||
        (answer.is === 'page' && (answer.item === kind.schemas.detail || answer.of === kind.kind))),
  );
  if (!isLimited)
    throw new TypeError(`authorize limits ${group}.${verb} by '${verdict.where}', and it neither lists nor writes entities of a kind`);
  return verdict;
};

const identityVersion = (actor: Actor): number | undefined => ('identity' in actor ? actor.identity.version : undefined);

const assertWrittenWithin = async (entities: Entities, call: Call): Promise<void> => {
  for (const kind of allKinds) {
    if (!isOnKind(call.operation, kind)) continue;
    const written = entities.changes
      .filter(({ entity, action }) => entity === kind.kind && action !== 'delete')
      .map(({ entityId }) => entityId);
    const ids = oneOf(stringField('id'), [...new Set(written)]);
    const outside = (await entities.count(kind, ids)) - (await entities.count(kind, and(ids, await granted(entities, kind, call))));
    if (outside > 0) throw unauthorized(`this ${kind.kind} would be beyond what the host lets the caller write: ${call.grant.where}`);
  }
};
