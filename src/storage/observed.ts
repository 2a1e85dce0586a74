import type { Observation } from '../observability/observation.ts';
import type { Transaction } from './port.ts';

/** A transaction whose statements and rows are counted. */
export const observed = (tx: Transaction, observation: Observation): Transaction => {
  const noted = async <T>(answer: Promise<T>, rowsOf: (value: T) => number): Promise<T> => {
    const value = await answer;
    observation.statement(rowsOf(value));
    return value;
  };
  return {
    // Read only on demand: an adapter may do more work once others can write in its transaction.
    get host() {
      return tx.host;
    },
    uncommitted: tx.uncommitted,
    get: (kind, id) => noted(tx.get(kind, id), (row) => (row ? 1 : 0)),
    list: (kind, query) => noted(tx.list(kind, query), lengthOf),
    count: (kind, where) => noted(tx.count(kind, where), none),
    insert: (kind, row) => noted(tx.insert(kind, row), one),
    update: (kind, row, expected) => noted(tx.update(kind, row, expected), one),
    delete: (kind, id) => noted(tx.delete(kind, id), (isThere) => (isThere ? 1 : 0)),
    distinct: (kind, set) => noted(tx.distinct(kind, set), lengthOf),
    referenced: (kind, field, values, where) => noted(tx.referenced(kind, field, values, where), lengthOf),
    readAll: (reads) => noted(tx.readAll(reads), (answers) => answers.reduce((sum, { length }) => sum + length, 0)),
    revision: () => noted(tx.revision(), none),
    nextRevision: (atLeast) => noted(tx.nextRevision(atLeast), none),
    verify: (kind, page) => noted(tx.verify(kind, page), none),
    repair: (kind, id) => noted(tx.repair(kind, id), none),
    forget: () => noted(tx.forget(), none),
  };
};

const lengthOf = ({ length }: readonly unknown[]): number => length;
const one = (): number => 1;
const none = (): number => 0;
