import type { Call } from '../../call/call.ts';
import { granted } from '../../call/resources/granted.ts';
import { type SectionName, sectionNames } from '../../contract/api/declared-kinds.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { MAX_DECLARED, type state } from '../../contract/api/state.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { ALL, and, stringField } from '../../query/index.ts';
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { declarationOf, isUndeclared } from './document.ts';
import { declarable, hasLabel, kindIn, ownedBy, ReferenceTexts, rowsBy } from './lookup.ts';
import { type Rename, renameReferences } from './names.ts';
import { declaredFieldsOf, declaredValues, type Values } from './values.ts';

type Operation = typeof state.operations.export;

/** Number of entities to convert before yielding to the event loop. */
const ENTITIES_PER_SLICE = 500;

/** Exports the configuration of the network, or a part of it, as a document. */
export const exportState = (call: Call, { select, owner }: DecodedOf<Operation>): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const now = call.now();
    const selected: [SectionName, readonly Row[]][] = [];
    for (const section of sectionNames)
      if (select === undefined || select.includes(section)) selected.push([section, await rowsIn(entities, call, section, owner)]);
    const nameOf = await loadNames(entities, call, selected);
    const options = { nameOf, disclosing: call.core.settings.showJwksEndpoints, withoutOwner: owner !== undefined };
    const yieldIfDue = createTimeSlice(ENTITIES_PER_SLICE);
    const sections: Record<string, readonly Values[]> = {};
    for (const [section, rows] of selected) {
      const shown: Values[] = [];
      for (const row of rows) {
        if (isUndeclared(section, row, now)) continue;
        const kind = kindIn(section);
        shown.push(declarationOf(kind, declaredValues(kind, row, now), options));
        const pause = yieldIfDue();
        if (pause) await pause;
      }
      if (shown.length > 0) sections[section] = shown;
    }
    return { ...(owner === undefined ? {} : { owner }), ...sections } as OutputOf<Operation>; // the keys are names of sections
  });

const rowsIn = async (entities: Entities, call: Call, section: SectionName, owner: string | undefined): Promise<readonly Row[]> => {
  const kind = kindIn(section);
  const owned = owner === undefined ? ALL : ownedBy(kind, owner);
  const where = and(declarable(section), owned, await granted(entities, kind, call));
  const listed = await entities.list(kind, { where, sort: [{ field: stringField('name'), descending: false }], limit: MAX_DECLARED + 1 });
  const rows = owner === undefined ? listed : listed.filter((row) => hasLabel(row, owner));
  if (rows.length > MAX_DECLARED)
    throw invalidField(
      'select',
      `a document may have at most ${MAX_DECLARED} entities in a section, and there are more ${section}: select other sections, or an owner`,
      section,
    );
  return rows;
};

/** Loads the names of all entities that the rows refer to. An entity that the caller may not see keeps its id. */
export const loadNames = async (
  entities: Entities,
  call: Call,
  selected: Iterable<readonly [SectionName, readonly Values[]]>,
): Promise<Rename> => {
  const references = new ReferenceTexts();
  for (const [section, rows] of selected) {
    const kind = kindIn(section);
    for (const row of rows)
      for (const { name, field } of declaredFieldsOf(kind, row))
        renameReferences(field, row[name], (target, id) => references.add(target, id));
  }
  const found = await rowsBy(entities, call, 'id', references.byKind);
  const names = new Map([...found].map(([target, rows]) => [target, new Map(rows.map(({ id, name }) => [id, String(name)]))]));
  return (target, id) => names.get(target)?.get(id) ?? id;
};
