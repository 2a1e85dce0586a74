import { parseOutput } from '../../contract/api/kit/parse-output.ts';
import type { Change } from '../../contract/changes/events.ts';
import type { Preview, PreviewedChange } from '../../contract/previewing.ts';
import type { Entry } from '../entry.ts';
import { type Grant, isLimited, isUnlimited } from '../grant.ts';
import { isOnKind } from '../resources/granted.ts';
import { kindOf } from '../resources/kinds.ts';
import type { WhatIf } from './call-services.ts';
import type { OngoingCall } from './ongoing-call.ts';

/** Maximum number of changes that a preview shows; it counts all of them. */
const MAX_SHOWN = 500;

/** Executes an operation in a transaction that is rolled back, and returns what it would change. */
export const preview = (
  call: OngoingCall,
  { operation }: Entry,
  { gather }: WhatIf,
  execute: () => Promise<unknown>,
): Promise<Preview<unknown>> => {
  let shown: PreviewedChange[] = [];
  const onWritten = (changes: readonly Change[], grant: Grant) => {
    for (const change of changes) if (shown.length < MAX_SHOWN && isShown(change, grant)) shown.push(shownChange(change, grant));
  };
  const work = () => {
    shown = []; // The store may run it again.
    return execute();
  };
  return call.transactions.rehearse(
    work,
    async (entities, result) => {
      const changeCount = entities.changes.length;
      const revision = (await entities.revision()) - changeCount;
      const report = isUnlimited(call) ? await gather(entities, call) : undefined;
      const effects = { result: parseOutput(operation.answer, result), changes: shown, changeCount, revision };
      return async () => ({ ...effects, ...(report && { access: await report() }) });
    },
    onWritten,
  );
};

/** Callers with a right to some entities only see what happens to these; that others depend on them is only counted. */
const isShown = ({ entity }: Change, grant: Grant): boolean => {
  const kind = kindOf(entity);
  return isWhole(grant) || (kind !== undefined && isOnKind(grant.right, kind));
};

const isWhole = (grant: Grant): boolean => !grant.isDelegated && !isLimited(grant);

const shownChange = ({ action, entity, entityId, before, after }: Change, grant: Grant): PreviewedChange => ({
  action,
  entity,
  entityId,
  ...(isWhole(grant) ? { before, after } : {}),
});
