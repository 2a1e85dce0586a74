import type { Observation } from '../../runtime/observability/observation.ts';
import { ForwardingTransaction, type StoreArguments, type StoreOperation, type StoreResult } from './forwarding.ts';
import type { Transaction } from './port.ts';

/** A transaction that counts its statements and their rows. */
export class ObservedTransaction extends ForwardingTransaction {
  readonly #observation: Observation;

  constructor(inner: Transaction, observation: Observation) {
    super(inner);
    this.#observation = observation;
  }

  protected override async pass<O extends StoreOperation>(operation: O, args: StoreArguments<O>): Promise<StoreResult<O>> {
    const answer = await super.pass(operation, args);
    this.#observation.statement(rowsOf(operation, answer));
    return answer;
  }
}

/** The number of rows that an operation has read or written. */
const rowsOf = (operation: StoreOperation, answer: unknown): number => {
  if (operation === 'insert' || operation === 'update') return 1;
  if (operation === 'get' || operation === 'delete') return answer ? 1 : 0;
  if (!Array.isArray(answer)) return 0;
  return operation === 'readAll' ? answer.reduce((sum: number, { length }) => sum + length, 0) : answer.length;
};
