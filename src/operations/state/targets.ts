import type { Call } from '../../call/call.ts';
import { identity } from '../../contract/api/kinds.ts';
import { type ApiError, invalidField } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { type Declaration, type Declared, placeOf } from './entries.ts';
import { kindIn, ReferenceTexts, type Referred, rowsBy, sectionOf } from './lookup.ts';
import { renameReferences } from './names.ts';
import { declaredFieldsOf } from './values.ts';

/** The entity that a name in a document refers to: an existing one, by its id, or one that the plan creates, by its place. */
export type Target = { readonly id: string } | { readonly place: string };

/** Resolves the names in some entities of a document. */
export interface Targets {
  /** These entities, and those that they need, by place, each with `existing`. */
  readonly entries: ReadonlyMap<string, Declaration>;
  /** @throws ApiError `COULD_NOT_VALIDATE` for a text that does not refer to exactly one entity */
  find(from: Declaration, kind: string, text: string): Target;
  /** The place of the edge router with a tunneler that the document declares under the name of an entity. */
  routerOf(entry: Declaration): string | undefined;
}

/** The document and the plan, as far as references to its entities need them. */
export interface Surroundings {
  readonly declared: Declared;
  /** True for an entity that the plan already has, at a place. */
  isPlaced(place: string): boolean;
}

/**
 * Loads the entities that some entities of a document declare or refer to. What they need and the plan does not have yet is loaded with
 * them. Sets `existing` of all of them.
 */
export const loadTargets = async (
  entities: Entities,
  call: Call,
  { declared, isPlaced }: Surroundings,
  entries: readonly Declaration[],
): Promise<Targets> => {
  const loaded = new Map<string, Declaration>();
  const [byName, byId]: [Tables, Tables] = [new Map(), new Map()];
  const routerOf = (name: string): string | undefined =>
    declared.at(placeOf('edgeRouters', name))?.given.isTunnelerEnabled === true ? placeOf('edgeRouters', name) : undefined;
  /** The place of the entity in the document that a reference means if the network has none. */
  const declaredPlace = (kind: string, text: string): string | undefined => {
    const section = sectionOf(kind);
    if (section && declared.has(placeOf(section, text))) return placeOf(section, text);
    return kind === identity.kind ? routerOf(text) : undefined;
  };
  for (let pending = entries; pending.length > 0; ) {
    call.signal.throwIfAborted();
    const references = referencesIn(pending);
    addTo(byName, await rowsBy(entities, call, 'name', references), 'name');
    addTo(byId, await rowsBy(entities, call, 'id', references), 'id');
    const needed = new Set<string>();
    for (const entry of pending) {
      loaded.set(entry.place, entry);
      entry.existing = byName.get(kindIn(entry.section).kind)?.get(entry.name);
      // The identity of a tunneler comes with its router.
      const router = entry.section === 'identities' && !entry.existing ? routerOf(entry.name) : undefined;
      if (router !== undefined) needed.add(router);
    }
    for (const [kind, texts] of references)
      for (const text of texts) {
        const place = byName.get(kind)?.has(text) ? undefined : declaredPlace(kind, text);
        if (place !== undefined) needed.add(place);
      }
    pending = [...needed].flatMap((place) => (loaded.has(place) || isPlaced(place) ? [] : (declared.at(place) ?? [])));
  }
  return {
    entries: loaded,
    routerOf: ({ name }) => routerOf(name),
    find: (from, kind, text) => {
      const id = byName.get(kind)?.get(text)?.id;
      const isId = byId.get(kind)?.has(text) === true;
      // Exported documents contain ids of entities whose names the caller may not see. Another entity whose name is such an id must not
      // redirect the reference.
      if (id !== undefined && id !== text && isId) throw ambiguous(from, kind, text);
      if (id !== undefined) return { id };
      const place = declaredPlace(kind, text);
      if (place !== undefined) return { place };
      if (isId) return { id: text };
      throw invalidField(
        from.place,
        `${from.place} refers to the ${kind} '${text}', which is neither in the network nor in the document`,
        text,
      );
    },
  };
};

/** The names of the declared entities, and all texts in their fields that refer to entities. */
const referencesIn = (entries: readonly Declaration[]): Referred => {
  const references = new ReferenceTexts();
  for (const { section, name, given } of entries) {
    const kind = kindIn(section);
    references.add(kind.kind, name);
    for (const { field, label } of declaredFieldsOf(kind, given))
      renameReferences(field, given[label], (target, text) => references.add(target, text));
  }
  return references.byKind;
};

const ambiguous = ({ place }: Declaration, kind: string, text: string): ApiError =>
  invalidField(place, `${place} refers to the ${kind} '${text}', which is the name of one entity and the id of another: rename one`, text);

/** Rows by kind, and by a field. */
type Tables = Map<string, Map<string, Row>>;

const addTo = (tables: Tables, rows: ReadonlyMap<string, readonly Row[]>, field: 'id' | 'name'): void => {
  for (const [kind, found] of rows) {
    const table = tables.get(kind) ?? new Map<string, Row>();
    for (const row of found) table.set(String(row[field]), row);
    tables.set(kind, table);
  }
};
