import type { Facade } from '../types/facade.ts';

/** The operations by their names on the facade: `identities.create`. */
export type OperationName = { readonly [G in keyof Facade]: `${G}.${keyof Facade[G] & string}` }[keyof Facade];

/** What an operation takes, as on the facade. */
export type OperationInput<N extends OperationName> = N extends `${infer G extends keyof Facade}.${infer V}`
  ? V extends keyof Facade[G]
    ? Facade[G][V] extends (...args: infer A) => unknown
      ? NonNullable<A[0]>
      : never
    : never
  : never;
