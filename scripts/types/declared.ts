/**
 * Types inferred from the declarations in `src/contract/api/`: the generator writes them to `src/contract/types/`, and `test/types.test.ts`
 * compares both.
 */
import type { publicExternalJwtSigner } from '../../src/contract/api/external-jwt-signers.ts';
import type { groups, Kinds } from '../../src/contract/api/index.ts';
import type { InputOf, OutputOf } from '../../src/contract/api/kit/operation.ts';
import type { VisibleRowOf } from '../../src/contract/api/kit/resource.ts';
import type { ChangedKind } from '../../src/contract/changes/events.ts';

type Groups = typeof groups;
type Verbs<G> = G extends { readonly operations: infer O } ? O : never;

/** Makes responses deeply read-only, like inputs. */
type ReadOnly<T> = T extends Uint8Array | AsyncIterable<unknown> ? T : T extends object ? { readonly [K in keyof T]: ReadOnly<T[K]> } : T;

/** Input and output of every operation: `Declared['identities']['create']['input']`. */
export type Declared = {
  [G in keyof Groups]: {
    [V in keyof Verbs<Groups[G]>]: { input: InputOf<Verbs<Groups[G]>[V]>; output: ReadOnly<OutputOf<Verbs<Groups[G]>[V]>> };
  };
};

/** The field tables, whose comments document the fields. */
export type FieldTables = { [K in keyof Kinds]: Kinds[K]['fields'] } & {
  publicExternalJwtSigner: (typeof publicExternalJwtSigner)['fields'];
};

/** The content of events about an entity. */
export type InferredRows = { [K in ChangedKind]: VisibleRowOf<Kinds[K]> };
