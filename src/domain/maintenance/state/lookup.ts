import { declaredKinds, OWNER_TAG, type SectionName, sectionNames } from '../../../api/declared-kinds.ts';
import type { Kind } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { filter } from '../../../query/filter-text.ts';
import { ALL, and, booleanField, equals, not, oneOf, type Predicate, readFilter, stringField } from '../../../query/index.ts';
import { visibleOf } from '../../../resources/granted.ts';
import { kindOf } from '../../../resources/kinds.ts';
import { symbolsFor } from '../../../resources/symbols.ts';
import type { Row } from '../../../storage/port.ts';

/** Number of values in one condition. */
const BATCH = 1000;

/** The kind of a section. */
export const kindIn = (section: SectionName): Kind => declaredKinds[section];

/** The section that declares the entities of a kind. */
export const sectionOf = (kind: string): SectionName | undefined => sectionNames.find((name) => kindIn(name).kind === kind);

/** The entities of a section that documents may declare: not those that the controller keeps for others, and not the first administrator. */
export const declarable = (section: SectionName): Predicate => DECLARABLE[section] ?? ALL;

const DECLARABLE: { readonly [S in SectionName]?: Predicate } = {
  identities: not(equals(booleanField('isDefaultAdmin'), true)),
  routers: not(equals(booleanField('isEdgeRouter'), true)),
  edgeRouterPolicies: not(equals(booleanField('isSystem'), true)),
};

/** The entities of a kind with an owner label, and those whose label has the same text but is no text: see `hasLabel`. */
export const ownedBy = (kind: Kind, owner: string): Predicate =>
  readFilter(filter([`tags.${OWNER_TAG} = `, ''], owner), symbolsFor(kind)).where;

/** True for an entity with the owner label. Filters compare tags as text, and a tag `true` is not the label of the owner `true`. */
export const hasLabel = ({ tags }: Row, owner: string): boolean =>
  (tags as Readonly<Record<string, unknown>> | undefined)?.[OWNER_TAG] === owner; // tags are an object

/** Texts that refer to entities, by kind. */
export type Referred = ReadonlyMap<string, ReadonlySet<string>>;

/** Collects references. */
export class ReferenceTexts {
  readonly byKind: Map<string, Set<string>> = new Map();

  add(target: string, text: string): string {
    const texts = this.byKind.get(target) ?? new Set();
    this.byKind.set(target, texts.add(text));
    return text;
  }
}

/** The entities that the caller may see and whose field has one of the given values, by kind. */
export const rowsBy = async (
  entities: Entities,
  call: Call,
  field: 'id' | 'name',
  referred: Referred,
): Promise<ReadonlyMap<string, readonly Row[]>> => {
  const found = new Map<string, readonly Row[]>();
  for (const [target, texts] of referred) {
    const kind = kindOf(target);
    if (!kind) continue;
    const visible = await visibleOf(entities, kind, call);
    const rows: Row[] = [];
    for (let from = 0, all = [...texts]; from < all.length; from += BATCH)
      rows.push(...(await entities.list(kind, { where: and(visible, oneOf(stringField(field), all.slice(from, from + BATCH))) })));
    found.set(target, rows);
  }
  return found;
};
