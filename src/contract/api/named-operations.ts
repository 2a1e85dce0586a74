import { groups } from './index.ts';
import type { Operation } from './kit/operation.ts';

/** An operation with its name in the API. */
export interface NamedOperation {
  /** `identities.create` */
  readonly name: string;
  /** `create` */
  readonly verb: string;
  readonly operation: Operation;
}

/** All operations of the controller. */
export const namedOperations: readonly NamedOperation[] = Object.entries(groups).flatMap(([group, { operations }]) =>
  Object.entries(operations).map(([verb, operation]: [string, Operation]) => ({ name: `${group}.${verb}`, verb, operation })),
);
