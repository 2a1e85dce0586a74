import type { Api } from '../../contract/types/api.ts';

/** The operations by their names in the API: `identities.create`. */
export type OperationName = { readonly [G in keyof Api]: `${G}.${keyof Api[G] & string}` }[keyof Api];

/** The input of an operation, as in the API. */
export type OperationInput<N extends OperationName> = N extends `${infer G extends keyof Api}.${infer V}`
  ? V extends keyof Api[G]
    ? Api[G][V] extends (...args: infer A) => unknown
      ? NonNullable<A[0]>
      : never
    : never
  : never;
