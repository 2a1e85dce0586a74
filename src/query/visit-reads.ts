import type { Predicate } from './predicate.ts';

/**
 * Calls `visit` for each field and each set that a predicate reads.
 * @param visit receives the name of the field or set, and the table that a subquery reads; undefined outside of subqueries
 */
export const visitReads = (where: Predicate, visit: (field: string, table: string | undefined) => void, table?: string): void => {
  switch (where.op) {
    case 'all':
    case 'none':
      break;
    case 'and':
    case 'or':
      for (const term of where.terms) visitReads(term, visit, table);
      break;
    case 'not':
      visitReads(where.term, visit, table);
      break;
    case 'compare':
    case 'in':
    case 'contains':
    case 'isNull':
      visit(where.field.path[0], table);
      break;
    case 'overlaps':
    case 'covers':
    case 'coveredBy':
    case 'some': // its `where` applies to the elements
      visit(where.set, table);
      break;
    case 'size':
      visit(where.set, table);
      if (!where.of) break;
      visit('id', where.of.kind);
      visitReads(where.of.where, visit, where.of.kind);
      break;
    default:
      where satisfies never; // does not compile until a new operator declares what it reads
  }
};
