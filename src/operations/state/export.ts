import type { Call } from '../../call/call.ts';
import { type SectionName, sectionNames } from '../../contract/api/declared-kinds.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { MAX_DECLARED, type state } from '../../contract/api/state.ts';
import { type ApiError, invalidField } from '../../contract/errors/index.ts';
import { LINES_TYPE } from '../../contract/wire/media-types.ts';
import { spendTimeSlice, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { pastStateAt } from '../../store/entities/past-state.ts';
import type { Row } from '../../store/storage/port.ts';
import { declarationOf, isUndeclared } from './document.ts';
import { kindIn, pageIn, pagesIn, ReferenceTexts, rowsBy } from './lookup.ts';
import { type Rename, renameReferences } from './names.ts';
import { declaredFieldsOf, declaredValues, type Values } from './values.ts';

type Operation = typeof state.operations.export;
type LinesOperation = typeof state.operations.exportLines;

/** Number of entities that are read and converted at a time. Those of a part of lines stay in memory while their reader stalls. */
const ENTITIES_AT_ONCE = 200;

/** Exports the configuration of the network, or a part of it, as a document. */
export const exportState = (call: Call, { select, owner }: DecodedOf<Operation>): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const sections: Record<string, readonly Values[]> = {};
    for (const section of sectionNames) {
      if (select !== undefined && !select.includes(section)) continue;
      const shown: Values[] = [];
      for await (const rows of pagesIn(entities, call, section, owner, ENTITIES_AT_ONCE)) {
        shown.push(...(await declarationsOf(entities, call, section, rows, owner)));
        if (shown.length > MAX_DECLARED) throw tooMany(section);
        if (spendTimeSlice(1)) await yieldToEventLoop();
      }
      if (shown.length > 0) sections[section] = shown;
    }
    return { ...(owner === undefined ? {} : { owner }), ...sections } as OutputOf<Operation>; // the keys are names of sections
  });

const tooMany = (section: SectionName): ApiError =>
  invalidField(
    'select',
    `a document may have at most ${MAX_DECLARED} entities in a section, and there are more ${section}: export a document in lines, or select other sections or an owner`,
    section,
  );

/** Declares some entities of a section, except those that documents omit. */
const declarationsOf = async (
  entities: Entities,
  call: Call,
  section: SectionName,
  rows: readonly Row[],
  owner: string | undefined,
): Promise<readonly Values[]> => {
  const nameOf = await loadNames(entities, call, [[section, rows]]);
  const options = { nameOf, disclosing: call.core.settings.showJwksEndpoints, withoutOwner: owner !== undefined };
  const [kind, now] = [kindIn(section), call.now()];
  return rows.flatMap((row) => (isUndeclared(section, row, now) ? [] : [declarationOf(kind, declaredValues(kind, row, now), options)]));
};

/**
 * Exports the configuration of the network as of the current revision, one entity per line. Each part is read in a transaction of its own,
 * in which later changes are undone, so that a slow reader does not hold a transaction open.
 */
export const exportLines = async (call: Call, { select, owner }: DecodedOf<LinesOperation>): Promise<OutputOf<LinesOperation>> => {
  const revision = await call.read((entities) => entities.revision());
  const sections = sectionNames.filter((section) => select === undefined || select.includes(section));
  return { contentType: LINES_TYPE, body: linesOf(call, revision, sections, owner) };
};

async function* linesOf(
  call: Call,
  revision: number,
  sections: readonly SectionName[],
  owner: string | undefined,
): AsyncGenerator<string, void, undefined> {
  const open = pastStateAt(revision);
  for (const section of sections) {
    for (let after: string | undefined, isLast = false; !isLast; ) {
      call.signal.throwIfAborted();
      const part = await call.readReauthorized(async (present) => {
        const past = await (await open(present, call.now())).openStep(present);
        if (!past) return undefined; // more changes are to be undone
        const { rows, last } = await pageIn(past, call, section, { owner, after, limit: ENTITIES_AT_ONCE });
        return { entities: await declarationsOf(past, call, section, rows, owner), last };
      });
      if (part && part.entities.length > 0) yield part.entities.map((entity) => `${JSON.stringify({ [section]: entity })}\n`).join('');
      after = part ? part.last : after;
      isLast = part !== undefined && part.last === undefined;
      await yieldToEventLoop();
    }
  }
}

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
