import type { Api } from '../../src/contract/types/api.ts';
import type { IdentityCreate } from '../../src/contract/types/identities.ts';

/** Creates identities, a hundred in each transaction: on PostgreSQL, a transaction of its own for each takes minutes. */
export const createIdentities = async ({ batch }: Pick<Api, 'batch'>, bodies: readonly IdentityCreate[]): Promise<void> => {
  for (let i = 0; i < bodies.length; i += 100)
    await batch.run({
      body: { operations: bodies.slice(i, i + 100).map((body) => ({ operation: 'identities.create', input: { body } })) },
    });
};
