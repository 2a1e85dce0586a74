/** The fields of an entity in a change record. */
export type RecordedFields = Readonly<Record<string, unknown>>;

/** Fields that every write changes, or that no write changes. */
const IGNORED: ReadonlySet<string> = new Set(['id', 'version', 'createdAt', 'updatedAt']);

/**
 * The names of the fields that differ. Written as loops, because every write computes them.
 * @param differs compares two values of a field. Default: `valuesDiffer`
 */
export const differingFields = (before: RecordedFields, after: RecordedFields, differs = valuesDiffer): readonly string[] => {
  const names: string[] = [];
  const fieldDiffers = (name: string) => !IGNORED.has(name) && differs(before[name], after[name]);
  for (const name of Object.keys(before)) if (fieldDiffers(name)) names.push(name);
  for (const name of Object.keys(after)) if (!(name in before) && fieldDiffers(name)) names.push(name);
  return names;
};

/** True if two values of a field differ. Undefined, null, and an empty list or object count as equal. */
const valuesDiffer = (one: unknown, other: unknown): boolean => {
  if (one === other || (isEmptyValue(one) && isEmptyValue(other))) return false;
  return typeof one !== 'object' || typeof other !== 'object' || JSON.stringify(one) !== JSON.stringify(other);
};

const isEmptyValue = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
