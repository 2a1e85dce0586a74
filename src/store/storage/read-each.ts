import type { Read, ReadAnswer, Transaction } from './port.ts';

/** Implements `Transaction.readAll` by running one query after another. */
export const readEach = async (tx: Pick<Transaction, 'list' | 'referenced'>, reads: readonly Read[]): Promise<readonly ReadAnswer[]> => {
  const answers: ReadAnswer[] = [];
  for (const each of reads)
    answers.push(
      each.read === 'list' ? await tx.list(each.kind, each.query) : await tx.referenced(each.kind, each.field, each.values, each.where),
    );
  return answers;
};
