import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { isLimited } from '../../call/grant.ts';
import { implement } from '../../call/implement.ts';
import { deleteRow } from '../../call/resources/crud.ts';
import { coveredIds } from '../../call/resources/granted.ts';
import { router, terminator } from '../../contract/api/kinds.ts';
import type { DecodedOf, OutputOf, RowOf } from '../../contract/api/kit/index.ts';
import { routerRepair } from '../../contract/api/log-only-kinds.ts';
import { validations } from '../../contract/api/validations.ts';
import { RouterNotAsked } from '../../runtime/presence/traffic.ts';
import type { Entities } from '../../store/entities/entities.ts';

type Operations = (typeof validations)['operations'];
type Terminator = RowOf<typeof terminator>;
type Answered = OutputOf<Operations['terminators']>['terminators'][number];

/** The terminators of a router among these that the right of the call covers, in their order. */
const terminatorsAt = async (call: Call, entities: Entities, routerId: string, ids: readonly string[]): Promise<readonly Terminator[]> => {
  await entities.require(router, routerId);
  const found: Terminator[] = [];
  for (const id of new Set(ids)) {
    const row = await entities.get(terminator, id);
    if (row?.routerId === routerId) found.push(row);
  }
  const covered = await coveredIds(entities, terminator, found, call);
  return found.filter(({ id }) => covered.has(id));
};

/** The answer of a router, or the reason why there is none. */
type RouterAnswer<T> = { readonly answer: T; readonly reason: null } | { readonly answer: undefined; readonly reason: string };

const answerOf = async <T>({ presence, platform }: Core, routerId: string, asked: Promise<T>): Promise<RouterAnswer<T>> => {
  const none = (reason: string) => ({ answer: undefined, reason });
  try {
    return { answer: await asked, reason: null };
  } catch (error) {
    if (!presence.keys().some(({ id }) => id === routerId)) return none('router off-line');
    if (error instanceof RouterNotAsked) return none(error.message);
    platform.logger.warn('a router could not be validated', { routerId, error });
    return none('the router could not be validated');
  }
};

/** @param fix has the router close the invalid ones */
const comparedTerminatorsAt = async (core: Core, routerId: string, asked: readonly Terminator[], fix: boolean) => {
  if (asked.length === 0) return { reason: null, terminators: [] };
  const { answer, reason } = await answerOf(core, routerId, core.traffic.validateTerminators(routerId, asked, fix));
  const unanswered = { state: 'unknown', detail: reason ?? 'the router did not answer for it' } as const;
  return { reason, terminators: asked.map(({ id }): Answered => ({ id, fixed: false, ...(answer?.get(id) ?? unanswered) })) };
};

const validateTerminators = async (call: Call, { id, body }: DecodedOf<Operations['terminators']>) =>
  comparedTerminatorsAt(call.core, id, await call.read((entities) => terminatorsAt(call, entities, id, body.terminators)), false);

/** The repair is recorded before the router is asked: it is asked only if the caller may write now, and the store takes the record. */
const repairTerminators = async (call: Call, { id, body }: DecodedOf<Operations['repairTerminators']>) => {
  const asked = await call.write(async (entities) => {
    const found = await terminatorsAt(call, entities, id, body.terminators);
    if (found.length > 0)
      await entities.insert(routerRepair, { routerId: id, subject: 'terminators', terminators: found.map((each) => each.id) });
    return found;
  });
  const { reason, terminators } = await comparedTerminatorsAt(call.core, id, asked, true);
  const invalid = new Set(terminators.flatMap((each) => (each.state === 'valid' || each.state === 'unknown' ? [] : [each.id])));
  if (invalid.size === 0) return { reason, terminators };
  const fixed = await call.write(async (entities) => {
    const closed = new Set<string>();
    for (const each of asked) {
      if (!invalid.has(each.id)) continue;
      const current = await entities.get(terminator, each.id);
      // The router had a minute to answer: by now, the id may be that of another terminator.
      if (current && (current.routerId !== id || current.createdAt !== each.createdAt)) continue;
      if (current) await deleteRow(entities, terminator, each.id, call);
      closed.add(each.id);
    }
    return closed;
  });
  return { reason, terminators: terminators.map((each) => ({ ...each, fixed: fixed.has(each.id) })) };
};

/** Differences quote entities of all kinds, such as the data of configs, so a caller who may not see them all learns their number only. */
const comparedModel = async ({ core, grant }: Call, routerId: string, fix: boolean) => {
  const { answer = [], reason } = await answerOf(core, routerId, core.traffic.validateModel(routerId, fix));
  const isShown = answer.length === 0 || !isLimited(grant);
  return { reason, differences: isShown ? [...answer] : [`differences in entities that this caller may not see: ${answer.length}`] };
};

const validateDataModel = async (call: Call, { id }: DecodedOf<Operations['dataModel']>) => {
  await call.read((entities) => entities.require(router, id));
  return comparedModel(call, id, false);
};

const repairDataModel = async (call: Call, { id }: DecodedOf<Operations['repairDataModel']>) => {
  await call.write(async (entities) => {
    await entities.require(router, id);
    await entities.insert(routerRepair, { routerId: id, subject: 'dataModel', terminators: [] });
  });
  return comparedModel(call, id, true);
};

export const validationEntries = implement(validations, {
  terminators: validateTerminators,
  repairTerminators,
  dataModel: validateDataModel,
  repairDataModel,
});
