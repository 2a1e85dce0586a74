import { intersection } from '../../contract/api/held-permissions.ts';
import { identity } from '../../contract/api/identities.ts';
import type { Operation } from '../../contract/api/kit/operation.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { administratorsOnly } from '../../contract/errors/index.ts';
import type { Logger } from '../../runtime/platform/platform.ts';
import { visibleFields, visibleRow } from '../../store/changelog/visible.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { type Actor, isAdministrator } from '../actor.ts';
import { assertNoneProtectedReached, assertOwnIdentityKept } from '../authentication/protected-identities.ts';
import type { Call } from '../call.ts';
import type { CallSource } from '../call-source.ts';
import type { Entry } from '../entry.ts';
import { type Grant, isLimited, OWN_RIGHT } from '../grant.ts';
import { EVERY_ENTITY, type Limits, withinAll, withinBoth } from '../limit.ts';
import { isOnKind } from '../resources/granted.ts';
import { allKinds } from '../resources/kinds.ts';
import { type AskAside, askAsides } from './asides.ts';
import { type AskRule, askRule, refusedByHost } from './ask-rule.ts';
import { assertUsable, authorize, type Permit, PermitByDeclaration, type PermitResult, StalePermit } from './authorize.ts';
import { boundByToken, type PermissionVerdict, verdictByPermission } from './by-permission.ts';
import { calledOperation, type HostRule, limitBy, type Verdict } from './host-rule.ts';
import { assertCovered, entitiesNamedBy, type NamedEntities } from './named-entities.ts';
import { assertWrittenWithin } from './within-grant.ts';

/** The host's rule decides. If it returns no verdict, the declaration of the operation and the permissions of the caller decide. */
export const createPermit =
  (rule: HostRule | undefined, logger: Logger): Permit =>
  (call, entry, source, input) => {
    const { operation } = entry;
    const { actor } = call;
    assertUsable(actor, operation);
    const bound = boundByToken(actor, operation);
    const permitted = verdictByPermission(call, actor, operation);
    const isOwnCode = actor.kind === 'system' && source.actor === undefined;
    if (isOwnCode || (!rule && !permitted)) return new PermitByDeclaration(actor, operation);
    return judge({ call, entry, source, input, permitted, bound, rule, ask: askRule(rule, logger, call, entry, source) });
  };

/** A call to judge, with the verdicts of permissions on it. */
interface Judged extends Pick<Decision, 'permitted' | 'bound' | 'ask'> {
  readonly call: Call;
  readonly entry: Entry;
  readonly source: CallSource;
  readonly input: unknown;
  readonly rule: HostRule | undefined;
}

const judge = async ({ call, entry, source, input, permitted, bound, rule, ask }: Judged): Promise<PermitResult> => {
  const { operation } = entry;
  const { actor } = call;
  const named = entitiesNamedBy(operation, input);
  const target = await call.read(named.load);
  const called = calledOperation(entry, actor, actor.kind === 'system' || permitted !== undefined);
  const visibleTarget = () => named.kind && target && visibleFields(named.kind, target);
  const decide = async () => {
    const ruled = await ask.onCall(called, { input, target: visibleTarget() });
    if (ruled === false) throw refusedByHost(entry);
    if (ruled === undefined && !permitted) authorize(actor, operation);
    return grantBy({ actor, operation, right: called.right, ruled, permitted, bound, ask });
  };
  const answers = rule && source.enclosing?.answers;
  const question = () => ['authorize', called, input, withoutRunState(visibleTarget()), judgedActor(actor)];
  const decided = await (answers ? answers.answer(question(), decide) : decide());
  if (decided?.permissions && named.kind && operation.method === 'PATCH') assertDelegable(named.kind, call);
  return new JudgedPermit({ call, operation, named, target, decided });
};

interface Judgement {
  readonly call: Call;
  readonly operation: Operation;
  readonly named: NamedEntities;
  /** The entity that `{id}` identifies, as the host's rule has judged it. */
  readonly target: Row | undefined;
  /** Undefined until the host's rule has been asked. */
  readonly decided: Grant | undefined;
}

/** The permission by the host's rule or by permissions. It becomes stale when the target or the calling identity changes. */
class JudgedPermit implements PermitResult {
  readonly grant: Grant;
  readonly isProvisional: boolean;
  readonly check: PermitResult['check'];
  readonly #judgement: Judgement;
  readonly #actor: Actor;

  constructor(judgement: Judgement) {
    const { call, named, decided } = judgement;
    const grant = decided ?? OWN_RIGHT;
    this.#judgement = judgement;
    this.#actor = call.actor;
    this.grant = grant;
    this.isProvisional = decided === undefined;
    // Loads the target again, because its owner may have changed while the rule was running.
    if (isLimited(grant) || grant.isDelegated)
      this.check = async (entities) => assertCovered(entities, call, named, await named.load(entities));
  }

  async recheck(entities: Entities, present: Actor): Promise<void> {
    const { call, operation, named, target } = this.#judgement;
    assertUsable(present, operation);
    const current = await named.load(entities);
    if (current?.version !== target?.version || identityVersion(present) !== identityVersion(this.#actor)) throw new StalePermit();
    await assertCovered(entities, call, named, current);
  }

  async verify(entities: Entities): Promise<void> {
    assertOwnIdentityKept(this.#actor, entities.changes);
    if (this.grant.isDelegated) await assertNoneProtectedReached(entities, entities.changes, this.grant);
    await assertWrittenWithin(entities, this.#judgement.call);
  }
}

/** The verdicts on a call, which determine its grant. */
interface Decision {
  readonly actor: Actor;
  readonly operation: Operation;
  /** The right that the call requires; undefined for one that is open to everyone or to every session. */
  readonly right: string | undefined;
  /** The verdict of the host's rule. */
  readonly ruled: Exclude<Verdict, false>;
  /** The verdict of the permissions of the identity, used if the rule has none. */
  readonly permitted: PermissionVerdict | undefined;
  /** The verdict of the permissions of the API token, which limits all others. */
  readonly bound: PermissionVerdict | undefined;
  readonly ask: AskRule;
}

const grantBy = async ({ actor, operation, right: required, ruled, permitted, bound, ask }: Decision): Promise<Grant> => {
  const byPermission = ruled === undefined ? permitted : undefined;
  const right = byPermission?.right ?? required;
  // There is nothing to limit.
  if (right === undefined) return OWN_RIGHT;
  const verdict = ruled ?? byPermission?.verdict;
  const isDelegated = verdict !== undefined && !('identity' in actor && isAdministrator(actor));
  const askAside: AskAside = async (aside) => {
    const withoutRule = actor.kind === 'system' && aside.about === 'credentials' ? true : permitted?.aside(aside);
    return [(await ask.onAside(aside)) ?? withoutRule, ...(bound ? [bound.aside(aside)] : [])];
  };
  const asides = await askAsides(operation, right, isDelegated, askAside);
  const verdicts = [verdict, bound?.verdict];
  const onOwners = limitsOn([identity], [byPermission?.owners, bound?.owners]);
  const own = withinBoth(limitsOn(kindsOf(right), verdicts), onOwners);
  return {
    right,
    isDelegated,
    ...assignableBy(verdicts),
    ...(byPermission && { permissions: bound ? intersection(byPermission.held, bound.held) : byPermission.held }),
    visible: withinBoth(asides.visible, own),
    changeable: withinBoth(asides.changeable, own),
    credentials: asides.credentials,
  };
};

const kindsOf = (right: string): readonly Kind[] => allKinds.filter((kind) => isOnKind(right, kind));

/** The entities of these kinds that all verdicts allow. */
const limitsOn = (kinds: readonly Kind[], verdicts: readonly Verdict[]): Limits => {
  const limit = withinAll(verdicts.map((verdict) => limitBy(verdict, EVERY_ENTITY)));
  return new Map(limit === EVERY_ENTITY ? [] : kinds.map(({ kind }) => [kind, limit]));
};

/** The role attributes that all verdicts allow to assign. */
const assignableBy = (verdicts: readonly Verdict[]): Pick<Grant, 'roleAttributes'> => {
  const rules = verdicts.flatMap((verdict) => (typeof verdict === 'object' ? (verdict.roleAttributes ?? []) : []));
  return rules.length === 0 ? {} : { roleAttributes: (attribute) => rules.every((allows) => allows(attribute)) };
};

/** @throws ApiError `UNAUTHORIZED` if the body contains a field that only administrators may set */
const assertDelegable = (kind: Kind, { bodyFields }: Pick<Call, 'bodyFields'>): void => {
  const field = bodyFields.find((name) => Object.hasOwn(kind.fields, name) && kind.fields[name]?.administratorsOnly);
  if (field) throw administratorsOnly(`non-admins may not set ${field} of an ${kind.kind}`);
};

/** An entity without the fields that differ in each run of a transaction. */
const withoutRunState = (row: object | undefined) => row && { ...row, version: 0, createdAt: '', updatedAt: '' };

/** The properties of the actor that the host's rule may depend on. */
const judgedActor = (actor: Actor): unknown =>
  'identity' in actor
    ? [withoutRunState(visibleRow(identity, actor.identity)), actor.kind === 'token' && withoutRunState(actor.apiToken)]
    : actor.kind;

const identityVersion = (actor: Actor): string | undefined =>
  'identity' in actor ? `${actor.identity.version} ${actor.kind === 'token' ? actor.apiToken.version : ''}` : undefined;
