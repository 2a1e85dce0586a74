/** In which fields two states of an entity differ. */

/** The fields of an entity, as a change record shows it. */
export type RecordedFields = Readonly<Record<string, unknown>>;

/** Fields that every write changes, or none. */
const COMMON: ReadonlySet<string> = new Set(['id', 'version', 'createdAt', 'updatedAt']);

/** The names of the fields that differ. @param isOther compares two values of a field. Default: `differ` */
export const differingFields = (before: RecordedFields, after: RecordedFields, isOther = differ): readonly string[] =>
  namesIn(before, after).filter((name) => !COMMON.has(name) && isOther(before[name], after[name]));

/** The names of the fields of either state. */
const namesIn = (before: RecordedFields, after: RecordedFields): readonly string[] => {
  const names = Object.keys(before);
  return names.length === 0 ? Object.keys(after) : [...names, ...Object.keys(after).filter((name) => !(name in before))];
};

/** True if two values of a field differ; nothing, null and an empty list or object are the same. */
const differ = (one: unknown, other: unknown): boolean => {
  if (one === other || (isNothing(one) && isNothing(other))) return false;
  return typeof one !== 'object' || typeof other !== 'object' || JSON.stringify(one) !== JSON.stringify(other);
};

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
