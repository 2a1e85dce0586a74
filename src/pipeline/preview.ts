import { parsed } from '../api/kit/parsed.ts';
import { isAdministrator } from '../call/actor.ts';
import type { Entry } from '../call/call.ts';
import { type Grant, isLimited } from '../call/grant.ts';
import type { Change } from '../changelog/events.ts';
import type { Preview, PreviewedChange } from '../previewing.ts';
import { isOnKind } from '../resources/granted.ts';
import { kindOf } from '../resources/kinds.ts';
import type { OngoingCall } from './ongoing-call.ts';
import type { WhatIf } from './parts.ts';

/** Maximum number of changes that a preview shows; it counts all of them. */
const MAX_SHOWN = 500;

/** Carries out an operation in a transaction that is rolled back, and tells what it would change. */
export const preview = (
  call: OngoingCall,
  { operation }: Entry,
  { gather }: WhatIf,
  carryOut: () => Promise<unknown>,
): Promise<Preview<unknown>> => {
  let shown: PreviewedChange[] = [];
  const onWritten = (changes: readonly Change[], grant: Grant) => {
    for (const change of changes) if (shown.length < MAX_SHOWN && isShown(change, grant)) shown.push(shownChange(change, grant));
  };
  const work = () => {
    shown = []; // The store may run it again.
    return carryOut();
  };
  return call.transactions.rehearse(
    work,
    async (entities, result) => {
      const changeCount = entities.changes.length;
      const revision = (await entities.revision()) - changeCount;
      const isReported = isAdministrator(call.actor) && !call.grant.isDelegated && !isLimited(call.grant);
      const report = isReported ? await gather(entities, call) : undefined;
      const told = { result: parsed(operation.answer, result), changes: shown, changeCount, revision };
      return async () => ({ ...told, ...(report && { access: await report() }) });
    },
    onWritten,
  );
};

/** Callers with a right to some entities only see what happens to these; that others depend on them is only counted. */
const isShown = ({ entity }: Change, grant: Grant): boolean => {
  const kind = kindOf(entity);
  return isUnlimited(grant) || (kind !== undefined && isOnKind(grant.right, kind));
};

const isUnlimited = ({ isDelegated, where }: Grant): boolean => !isDelegated && where === undefined;

const shownChange = ({ action, entity, entityId, before, after }: Change, grant: Grant): PreviewedChange => ({
  action,
  entity,
  entityId,
  ...(isUnlimited(grant) ? { before, after } : {}),
});
