import { identity } from '../../../api/kinds.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField } from '../../../errors/index.ts';
import type { Row } from '../../../storage/port.ts';
import type { Declaration } from './entries.ts';
import { kindIn, ReferenceTexts, rowsBy, sectionOf } from './lookup.ts';
import { renamed } from './names.ts';
import { declaredFieldsOf } from './values.ts';

/** What a name in a document refers to: an entity of the network by its id, or one that the plan creates. */
export type Target = { readonly id: string } | { readonly entry: Declaration };

/** Finds what names refer to. Sets `existing` of the entries. */
export interface Targets {
  /** @throws ApiError `COULD_NOT_VALIDATE` with the place, for a text that refers to nothing, or to two entities */
  find(from: Declaration, kind: string, text: string): Target;
  /** The edge router that the document declares with the name of an entity and a tunneler. */
  routerOf(entry: Declaration): Declaration | undefined;
}

/** Loads the entities that a document declares or refers to. */
export const loadTargets = async (entities: Entities, call: Call, entries: readonly Declaration[]): Promise<Targets> => {
  const references = new ReferenceTexts();
  for (const { section, name, given } of entries) {
    const kind = kindIn(section);
    references.add(kind.kind, name);
    for (const declared of declaredFieldsOf(kind, given))
      renamed(kind, declared.name, declared.field, given[declared.label], (target, text) => references.add(target, text));
  }
  const byName = tablesOf(await rowsBy(entities, call, 'name', references.byKind), 'name');
  const byId = tablesOf(await rowsBy(entities, call, 'id', references.byKind), 'id');
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
      // Whoever may name an entity could otherwise take the place of another, which documents give by its id where they may not show its name.
      if (id !== undefined && id !== text && byId.get(kind)?.has(text))
        throw invalidField(
          from.place,
          `${from.place} refers to the ${kind} '${text}': one has this name, and another this id: rename one`,
          text,
        );
      if (id !== undefined) return { id };
      const entry = declared.get(`${sectionOf(kind)}.${text}`) ?? (kind === identity.kind ? routerOf(text) : undefined);
      if (entry) return { entry };
      if (byId.get(kind)?.has(text)) return { id: text };
      throw invalidField(from.place, `${from.place} refers to the ${kind} '${text}': neither the network nor the document has one`, text);
    },
  };
};

const tablesOf = (rows: ReadonlyMap<string, readonly Row[]>, field: 'id' | 'name') =>
  new Map([...rows].map(([kind, found]) => [kind, new Map(found.map((row) => [String(row[field]), row]))]));
