import type { FieldType } from '../../../query/predicate.ts';
import type { Fields } from './field.ts';

/** Singular and plural of a kind, e.g. `['Identity', 'Identities']`. */
export type Names = readonly [singular: string, plural: string];

/** The declaration of a kind. Bodies, details, storage, filter symbols and links are derived from it. */
export interface ResourceDeclaration<K extends string, F extends Fields, N extends Names = Names> {
  /** Singular, as in error messages: `identity`, `configType`. */
  readonly kind: K;
  /** Collection in paths, links and references: `identities`. */
  readonly collection: string;
  /** Singular and plural as in operation names: `['Identity', 'Identities']`. */
  readonly names: N;
  /** Singular and plural in sentences; default: `names` as words. */
  readonly nouns?: Names;
  /** Name of the body, which the error for a missing body contains; default: the kind. */
  readonly bodyName?: string;
  /** Name in rights, if it differs from the kind's name: all kinds of routers share `router`. */
  readonly right?: string;
  /** One sentence for the reference documentation. */
  readonly about: string;
  readonly fields: F;
  /** A view without a table: the rows of the kind `of` whose hidden field `where` is true. The two kinds share ids and unique values. */
  readonly view?: { readonly of: string; readonly where: string };
  /** An entity has the same id as an entity of another kind while its field has the given value. */
  readonly idOf?: { readonly kind: string; readonly while: readonly [field: string, value: string] };
  /** At the time in the field `at`, the entity ends: the set in the field `of` is moved to the field `keptIn`, which leaves `of` empty. */
  readonly ends?: { readonly at: string; readonly of: string; readonly keptIn: string };
  /** The entities are credentials of identities. Delegates cannot see those of identities with more rights. */
  readonly isCredential?: true;
  /** Internal state of controllers: writes draw no revision and leave no change record. */
  readonly unrecorded?: true;
  /** The entities exist only in the change log: an insert appends a record, and writes no row. */
  readonly logOnly?: true;
  /** The answer of related lists for an unknown entity; default: 404. */
  readonly unknownParent?: 'emptyList';
  /** Relative paths of the entity that `_links` lists: `['services']` adds `./identities/{id}/services`. */
  readonly subLinks?: readonly string[];
  /** Other links: addresses by name, with `{field}` for a field of the row. A link may depend on a flag of the row. */
  readonly links?: Readonly<Record<string, string | { readonly at: string; readonly while: readonly [flag: string, is: boolean] }>>;
  /**
   * Filter symbols that are not top-level fields. `path`: a path into the document. `secret`: a value that can only be compared for
   * equality, through its hash in the field `hashedAs` (without which nothing matches). `selectedBy`: the ids that a role array selects.
   * `computed`: a symbol that only the kind's behaviour can evaluate, and that is not sortable; `shownAs` is its field in answers.
   */
  readonly symbols?: Readonly<
    Record<
      string,
      | { readonly path: string; readonly type: Exclude<FieldType, 'tag'> }
      | { readonly secret: Exclude<FieldType, 'tag'>; readonly hashedAs?: string }
      | { readonly selectedBy: string }
      | { readonly computed: Exclude<FieldType, 'tag'>; readonly shownAs: string; readonly filterableSince?: '2.0' }
    >
  >;
}
