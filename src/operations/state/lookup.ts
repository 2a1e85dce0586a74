import type { Call } from '../../call/call.ts';
import { granted } from '../../call/resources/granted.ts';
import { kindOf } from '../../call/resources/kinds.ts';
import { symbolsFor } from '../../call/resources/symbols.ts';
import { declaredKinds, OWNER_TAG, type SectionName, sectionNames } from '../../contract/api/declared-kinds.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { filter } from '../../query/filter-text.ts';
import { ALL, and, booleanField, equals, not, oneOf, type Predicate, readFilter, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';

/** Maximum number of values in one condition. */
const BATCH_SIZE = 1000;

/** The kind of a section. */
export const kindIn = (section: SectionName): Kind => declaredKinds[section];

/** The section that declares the entities of a kind. */
export const sectionOf = (kind: string): SectionName | undefined => sectionNames.find((name) => kindIn(name).kind === kind);

/**
 * Selects the entities of a section that documents may declare: not companions of other entities, and not the default administrator.
 */
const declarable = (section: SectionName): Predicate =>
  undeclaredFlags(kindIn(section)).reduce((where: Predicate, flag) => and(where, not(equals(booleanField(flag), true))), ALL);

/** The boolean fields of a kind that mark entities that documents may not declare. */
export const undeclaredFlags = ({ fields }: Kind): readonly string[] =>
  Object.entries(fields).flatMap(([name, { undeclared }]) => (undeclared ? [name] : []));

/** Selects a superset of the entities with an owner label, from which `hasLabel` decides. */
const ownedBy = (kind: Kind, owner: string): Predicate => readFilter(filter([`tags.${OWNER_TAG} = `, ''], owner), symbolsFor(kind)).where;

/** True for an entity with the owner label. Filters compare tags as text, and a tag `true` is not the label of the owner `true`. */
const hasLabel = ({ tags }: Row, owner: string): boolean => (tags as Readonly<Record<string, unknown>> | undefined)?.[OWNER_TAG] === owner; // tags are an object

/**
 * Reads the declarable entities of a section that the caller may see, in the order of their names.
 * @param owner only those with this owner label; undefined for all
 * @param limit of the rows of a page
 */
export async function* pagesIn(
  entities: Entities,
  call: Call,
  section: SectionName,
  owner: string | undefined,
  limit: number,
): AsyncGenerator<readonly Row[], void, undefined> {
  for (let after: string | undefined; ; ) {
    const { rows, last } = await pageIn(entities, call, section, { owner, after, limit });
    yield rows;
    if (last === undefined) return;
    after = last;
  }
}

/** Selects a page of a section. */
export interface SectionPage {
  /** Only entities with this owner label; undefined for all. */
  readonly owner: string | undefined;
  /** The name after which the page begins; undefined for the first one. */
  readonly after: string | undefined;
  readonly limit: number;
}

const NAME = stringField('name');
const BY_NAME = [{ field: NAME, descending: false }];
const nameIs = (is: '>' | '<=', value: unknown): Predicate => (typeof value === 'string' ? { op: 'compare', field: NAME, is, value } : ALL);

/** @returns the rows, and the name after which the next page begins; undefined if this is the last one */
export const pageIn = async (
  entities: Entities,
  call: Call,
  section: SectionName,
  { owner, after, limit }: SectionPage,
): Promise<{ readonly rows: readonly Row[]; readonly last: string | undefined }> => {
  const kind = kindIn(section);
  const where = and(declarable(section), nameIs('>', after), await granted(entities, kind, call));
  if (owner === undefined) {
    const rows = await entities.list(kind, { where, sort: BY_NAME, limit });
    return { rows, last: rows.length < limit ? undefined : nameOf(rows.at(-1)) };
  }
  // No index has labels: each page is what a stretch of names has of the owner, so that no statement reads the documents of all rows.
  const [end] = await entities.list(kind, { where: nameIs('>', after), sort: BY_NAME, offset: limit - 1, limit: 1 });
  const rows = await entities.list(kind, { where: and(where, ownedBy(kind, owner), nameIs('<=', end?.name)), sort: BY_NAME });
  return { rows: rows.filter((row) => hasLabel(row, owner)), last: nameOf(end) };
};

const nameOf = (row: Row | undefined): string | undefined => row && String(row.name);

/** Texts that refer to entities, by kind of the entity. */
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

/** Loads the visible entities whose field has one of the values, by kind. */
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
    const visible = await granted(entities, kind, call);
    const rows: Row[] = [];
    for (let from = 0, all = [...texts]; from < all.length; from += BATCH_SIZE)
      rows.push(...(await entities.list(kind, { where: and(visible, oneOf(stringField(field), all.slice(from, from + BATCH_SIZE))) })));
    found.set(target, rows);
  }
  return found;
};
