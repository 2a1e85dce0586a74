import { oneOf, type Predicate, stringField } from '../query/index.ts';
import type { Row, Transaction } from '../storage/port.ts';

type Subquery = Extract<Predicate, { readonly op: 'size' }>;
/** Finds a row that a predicate asks about, by table and id. */
type FindRow = (table: string, id: string) => Row | undefined;

const ID = stringField('id');

/** The parts of a predicate that ask about rows of other tables, to which a set of the row refers. Not those within such parts. */
const subqueriesOf = (where: Predicate): readonly Subquery[] => {
  switch (where.op) {
    case 'and':
    case 'or':
      return where.terms.flatMap(subqueriesOf);
    case 'not':
      return subqueriesOf(where.term);
    case 'size':
      return where.of ? [where] : [];
    default:
      return [];
  }
};

/** True if the predicate asks about rows of a table for which `has` is true. */
export const dependsOnOthers = (where: Predicate, has: (table: string) => boolean): boolean =>
  subqueriesOf(where).some(({ of }) => of !== undefined && (has(of.kind) || dependsOnOthers(of.where, has)));

/** Reads the rows of other tables that a predicate asks about, for evaluating it on some rows in memory. */
export const lookupFor = async (list: Transaction['list'], rows: readonly Row[], where: Predicate): Promise<FindRow> => {
  const found = new Map<string, Row>();
  const read = async (from: readonly Row[], predicate: Predicate): Promise<void> => {
    for (const { set, of } of subqueriesOf(predicate)) {
      if (!of) continue;
      const ids = new Set(from.flatMap((row) => (Array.isArray(row[set]) ? row[set] : [])).filter((id) => typeof id === 'string'));
      const others = ids.size === 0 ? [] : await list(of.kind, { where: oneOf(ID, [...ids]) });
      for (const row of others) found.set(`${of.kind} ${row.id}`, row);
      await read(others, of.where);
    }
  };
  await read(rows, where);
  return (table, id) => found.get(`${table} ${id}`);
};
