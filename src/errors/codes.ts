import type { catalog, ErrorCode } from './catalog.ts';
import type { Causes } from './causes.ts';

type Catalog = typeof catalog;

/** The type of `cause` for an error code: `CauseOf<'INVALID_POSTURE'>` is `PostureCause`. */
export type CauseOf<C extends ErrorCode> = Causes[Catalog[C]['cause'][number]];

/** The codes whose cause may be of a kind: `CodeWith<'field'>`. */
export type CodeWith<K extends keyof Causes> = { [C in ErrorCode]: K extends Catalog[C]['cause'][number] ? C : never }[ErrorCode];

/** The codes whose errors need no cause of their own: there may be none, or a hint takes its place. */
export type CodeAlone = CodeWith<'none'> | { [C in ErrorCode]: Catalog[C] extends { readonly hint: string } ? C : never }[ErrorCode];
