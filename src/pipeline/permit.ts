import { assertNoAdministratorReached, assertNoAdministratorsOwn } from '../authentication/administrators.ts';
import { type Actor, isAdministrator } from '../call/actor.ts';
import type { Entry } from '../call/call.ts';
import { type Grant, OWN_RIGHT } from '../call/grant.ts';
import { visibleFields } from '../changelog/visible.ts';
import type { Entities } from '../entities/entities.ts';
import { notFound, unauthorized } from '../errors/index.ts';
import type { Logger } from '../platform/platform.ts';
import { and, equals, stringField } from '../query/index.ts';
import { granted, isOnKind, isVisible } from '../resources/granted.ts';
import type { Row } from '../storage/port.ts';
import { type AskAside, askAsides } from './asides.ts';
import { assertIsItsOwn, assertOwesNothing, authorize, type Permit, permitByDeclaration, StalePermit } from './authorize.ts';
import { type AuthorizationRequest, calledOperation, checkedVerdict, type HostRule, type Verdict } from './host-rule.ts';
import { namedIn } from './named-kinds.ts';
import { principalOf } from './principal.ts';
import { assertWrittenWithin } from './written-within.ts';

/** The rule of the host decides. */
export const createPermit =
  (rule: HostRule, logger: Logger): Permit =>
  async (call, entry, source, input) => {
    if (call.actor.kind === 'system' && source.actor === undefined) return permitByDeclaration(call, entry, source, input);
    const { operation } = entry;
    const judged = call.actor;
    const called = calledOperation(entry, judged);
    const named = namedIn(operation);
    const ids = input as Readonly<Record<string, string>>; // of the path, if the operation names entities there
    const kind = named.find(([parameter]) => parameter === 'id')?.[1];
    const load = async (entities: Entities): Promise<Row | undefined> => kind && entities.get(kind, ids.id ?? '');
    const target = await call.read(load);

    const ask = async (request: Pick<AuthorizationRequest, 'about' | 'operation' | 'right' | 'input' | 'target'>): Promise<Verdict> => {
      const verdict = await rule({ ...call.attribution, actor: principalOf(judged, source), ...request });
      return verdict === undefined && judged.kind === 'system' && request.about === 'credentials' ? true : verdict;
    };
    const failed = (effect: string, error: unknown) =>
      logger.error(`the rule of authorize failed: ${effect}`, { requestId: call.requestId, operationId: operation.operationId, error });
    const askAside: AskAside = async (aside) => {
      try {
        return checkedVerdict(await ask({ ...aside, target: undefined }));
      } catch (error) {
        if (aside.about === 'credentials') {
          failed('no credentials are shown', error);
          return false;
        }
        failed('the call is refused', error);
        throw refused(entry);
      }
    };
    const askCall = async (): Promise<Verdict> => {
      assertOwesNothing(judged, operation);
      assertIsItsOwn(judged, operation);
      try {
        const seen = kind && target && visibleFields(kind, target);
        return checkedVerdict(await ask({ about: 'call', ...called, input, target: seen }), entry, called);
      } catch (error) {
        failed('the call is refused', error);
        return false;
      }
    };

    const grantOf = async (verdict: Verdict): Promise<Grant> => {
      if (verdict === false) throw refused(entry);
      if (verdict === undefined) authorize(judged, operation);
      const { right } = called;
      // It has anyway all rights that are open to everybody, or to every session.
      if (right === undefined) return OWN_RIGHT;
      const isDelegated = verdict !== undefined && !('identity' in judged && isAdministrator(judged));
      return {
        ...(typeof verdict === 'object' ? verdict : {}),
        right,
        isDelegated,
        ...(await askAsides(operation, right, isDelegated, askAside)),
      };
    };

    const grant = await grantOf(await askCall());
    const isWrite = grant.right !== undefined && !grant.right.endsWith('.read');

    const assertWithin = async (entities: Entities, target: Row | undefined): Promise<void> => {
      for (const [parameter, kind] of named) {
        const id = ids[parameter] ?? '';
        // Related lists look at their parent themselves: some are empty below an unknown one.
        const isParent = parameter === 'id' && operation.answer.is === 'page';
        if (!isOnKind(grant.right, kind) && !isParent && !(await isVisible(entities, kind, id, call, grant))) throw notFound(kind.kind, id);
      }
      if (!kind || !target) return;
      const where = await granted(entities, kind, call, [target], grant);
      if (where.op !== 'all' && (await entities.count(kind, and(equals(stringField('id'), target.id), where))) === 0)
        throw notFound(kind.kind, target.id);
      if (grant.isDelegated && isWrite) await assertNoAdministratorsOwn(entities, kind, target);
    };

    if (isLimited(grant) || (grant.isDelegated && isWrite)) await call.read((entities) => assertWithin(entities, target));
    return {
      grant,
      recheck: async (entities, actor) => {
        assertOwesNothing(actor, operation);
        const now = await load(entities);
        if (now?.version !== target?.version || identityVersion(actor) !== identityVersion(judged)) throw new StalePermit();
        await assertWithin(entities, now);
      },
      verify: async (entities) => {
        if (grant.isDelegated) await assertNoAdministratorReached(entities, entities.changes);
        await assertWrittenWithin(entities, call);
      },
    };
  };

const isLimited = ({ where, visible, changeable }: Grant): boolean => where !== undefined || visible.size + changeable.size > 0;

const refused = ({ group, verb }: Entry) => unauthorized(`the host does not allow ${group}.${verb} here`);

const identityVersion = (actor: Actor): number | undefined => ('identity' in actor ? actor.identity.version : undefined);
