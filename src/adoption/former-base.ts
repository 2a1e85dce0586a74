/** What former entities of all kinds have in common. */

export type FormerTexts = readonly string[];
export type FormerValues = Readonly<Record<string, unknown>>;
/** By id, or by another text. */
export type FormerMap<V> = ReadonlyMap<string, V>;

/** What every former entity has. */
export interface FormerBase {
  readonly id: string;
  /** The names of fields that the reader does not know. */
  readonly unknown: FormerTexts;
  /** The names of fields that nest so deep that the reader left out the rest. Absent: none. */
  readonly cut?: FormerTexts;
}

/** What all but enrollments have. */
export interface FormerCommon extends FormerBase {
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly tags: FormerValues;
  readonly isSystem: boolean;
}

export interface FormerNamed extends FormerCommon {
  readonly name: string;
}
