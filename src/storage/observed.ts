import type { Observation } from '../observability/observation.ts';
import type { Transaction } from './port.ts';

/** Wraps a transaction, to count its statements and rows. */
export const observed = (tx: Transaction, observation: Observation): Transaction => {
  const counted = async <T>(answer: Promise<T>, rowsOf: (value: T) => number): Promise<T> => {
    const value = await answer;
    observation.statement(rowsOf(value));
    return value;
  };
  return {
    // Read only on demand, because an adapter may do extra work once others can write in its transaction.
    get host() {
      return tx.host;
    },
    uncommitted: tx.uncommitted,
    isView: tx.isView,
    get: (kind, id) => counted(tx.get(kind, id), (row) => (row ? 1 : 0)),
    list: (kind, query) => counted(tx.list(kind, query), lengthOf),
    count: (kind, where) => counted(tx.count(kind, where), none),
    insert: (kind, row) => counted(tx.insert(kind, row), one),
    update: (kind, row, expected) => counted(tx.update(kind, row, expected), one),
    delete: (kind, id) => counted(tx.delete(kind, id), (existed) => (existed ? 1 : 0)),
    distinct: (kind, set) => counted(tx.distinct(kind, set), lengthOf),
    referenced: (kind, field, values, where) => counted(tx.referenced(kind, field, values, where), lengthOf),
    readAll: (reads) => counted(tx.readAll(reads), (answers) => answers.reduce((sum, { length }) => sum + length, 0)),
    revision: () => counted(tx.revision(), none),
    nextRevision: (atLeast) => counted(tx.nextRevision(atLeast), none),
    verify: (kind, page) => counted(tx.verify(kind, page), none),
    repair: (kind, id) => counted(tx.repair(kind, id), none),
    forget: () => counted(tx.forget(), none),
  };
};

const lengthOf = ({ length }: readonly unknown[]): number => length;
const one = (): number => 1;
const none = (): number => 0;
