import type { Call } from '../../call/call.ts';
import { identity } from '../../contract/api/kinds.ts';
import { type ApiError, invalidField } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import type { Declaration } from './entries.ts';
import { kindIn, ReferenceTexts, type Referred, rowsBy, sectionOf } from './lookup.ts';
import { renameReferences } from './names.ts';
import { declaredFieldsOf } from './values.ts';

/** The entity that a name in a document refers to: an existing one, by its id, or one that the plan creates. */
export type Target = { readonly id: string } | { readonly entry: Declaration };

/** Resolves the names in a document. */
export interface Targets {
  /** @throws ApiError `COULD_NOT_VALIDATE` for a text that does not refer to exactly one entity */
  find(from: Declaration, kind: string, text: string): Target;
  /** The edge router with a tunneler that the document declares under the name of an entity. */
  routerOf(entry: Declaration): Declaration | undefined;
}

/** Loads the entities that a document declares or refers to. Sets `existing` of its entries. */
export const loadTargets = async (entities: Entities, call: Call, entries: readonly Declaration[]): Promise<Targets> => {
  const references = referencesIn(entries);
  const byName = tablesOf(await rowsBy(entities, call, 'name', references), 'name');
  const byId = tablesOf(await rowsBy(entities, call, 'id', references), 'id');
  const declared = new Map(entries.map((entry) => [entry.place, entry]));
  for (const entry of entries) entry.existing = byName.get(kindIn(entry.section).kind)?.get(entry.name);
  const routerOf = (name: string): Declaration | undefined => {
    const router = declared.get(`edgeRouters.${name}`);
    return router?.given.isTunnelerEnabled === true ? router : undefined;
  };
  return {
    routerOf: ({ name }) => routerOf(name),
    find: (from, kind, text) => {
      const id = byName.get(kind)?.get(text)?.id;
      const isId = byId.get(kind)?.has(text) === true;
      // Exported documents contain ids of entities whose names the caller may not see. Another entity whose name is such an id must not
      // redirect the reference.
      if (id !== undefined && id !== text && isId) throw ambiguous(from, kind, text);
      if (id !== undefined) return { id };
      const entry = declared.get(`${sectionOf(kind)}.${text}`) ?? (kind === identity.kind ? routerOf(text) : undefined);
      if (entry) return { entry };
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

const tablesOf = (rows: ReadonlyMap<string, readonly Row[]>, field: 'id' | 'name') =>
  new Map([...rows].map(([kind, found]) => [kind, new Map(found.map((row) => [String(row[field]), row]))]));
