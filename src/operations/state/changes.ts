import type { Call } from '../../call/call.ts';
import type { SectionName } from '../../contract/api/declared-kinds.ts';
import type { StatePlan } from '../../contract/api/state.ts';
import { inBatches, spendTimeSlice, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { sortKeys } from './document.ts';
import { loadNames } from './export.ts';
import { kindIn } from './lookup.ts';
import { type Rename, renameReferences } from './names.ts';
import { declaredFieldsOf, type Values } from './values.ts';

/** An entity that a plan changes. The values are those of `declaredValues`. */
export type Changed = { readonly section: SectionName; readonly name: string } & (
  | { readonly action: 'create'; readonly given: Values; readonly wanted: Values }
  | {
      readonly action: 'update';
      readonly given: Values;
      readonly wanted: Values;
      readonly before: Values;
      readonly changed: readonly string[];
    }
  | { readonly action: 'delete' }
);

type Shown = StatePlan['changes'][number];

/** Number of changes to present before yielding to the event loop. */
const CHANGES_AT_ONCE = 200;

/** Presents changes in a plan: with names instead of ids, and without values that only a setting discloses. */
export const presentChanges = async (entities: Entities, call: Call, changes: readonly Changed[]): Promise<Shown[]> => {
  const shown: Shown[] = [];
  for (const some of inBatches(changes, () => 1, CHANGES_AT_ONCE)) {
    const updated = some.flatMap((change) => (change.action === 'update' ? [[change.section, [change.before]] as const] : []));
    const nameOf = await loadNames(entities, call, updated);
    for (const change of some) {
      const { action, section, name } = change;
      shown.push({ action, section, name, fields: action === 'delete' ? {} : fieldsOf(change, nameOf) });
    }
    if (spendTimeSlice(some.length / CHANGES_AT_ONCE)) await yieldToEventLoop();
  }
  return shown;
};

const fieldsOf = (change: Exclude<Changed, { readonly action: 'delete' }>, nameOf: Rename): Shown['fields'] => {
  const kind = kindIn(change.section);
  const { given, wanted } = change;
  const fields: Shown['fields'] = {};
  for (const { name, label, field } of declaredFieldsOf(kind, wanted)) {
    if (change.action === 'update' ? !change.changed.includes(name) : given[label] === undefined) continue;
    const before = change.action === 'update' ? sortKeys(renameReferences(field, change.before[name], nameOf)) : undefined;
    const after = given[label] === undefined ? wanted[name] : sortKeys(given[label]);
    fields[label] = field.disclosable ? { after: '***' } : valuesOf(before, after);
  }
  const tags = change.action === 'update' ? change.changed.includes('tags') : Object.keys(Object(wanted.tags)).length > 0;
  if (tags) fields.tags = valuesOf(change.action === 'update' ? change.before.tags : undefined, wanted.tags);
  return fields;
};

const valuesOf = (before: unknown, after: unknown): Shown['fields'][string] => ({
  ...(before === undefined || before === null ? {} : { before }),
  ...(after === undefined || after === null ? {} : { after }),
});
