/**
 * Checks that all given options exist, and returns them. Otherwise a misspelt option would be silently replaced by its default.
 * @param name the name of the function, for the message
 * @param known the names of all options
 * @throws TypeError that names the unknown option and the one that was probably meant
 */
export const checkedOptions = <T extends object>(name: string, options: T, known: Readonly<Record<OptionNames<T>, true>>): T => {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${name} takes an object of options, got ${String(options)}`);
  for (const given of Object.keys(options)) {
    if (!Object.hasOwn(known, given)) throw new TypeError(`${name} has no option ${unknownName(given, Object.keys(known))}`);
  }
  return options;
};

/**
 * Rejects unknown input of an operation. Does not check the fields of a body, which is left to its schema. If the operation takes an id, the whole entity may
 * be passed as returned by an earlier call: `get(created)`.
 * @param name the name of the operation, for the message
 * @throws TypeError that names the unknown input and the one that was probably meant
 */
export const refuseUnknownInput = (name: string, input: unknown, names: readonly string[]): void => {
  const fields: object = Object(input);
  if ('_links' in fields && names.includes('id')) return;
  for (const field of Object.keys(fields)) if (!names.includes(field)) throw new TypeError(`${name} takes no ${unknownName(field, names)}`);
};

/** @throws TypeError if the storage is missing or not a storage adapter */
export const requireStorage = (name: string, storage: unknown): void => {
  if (typeof storage === 'object' && storage !== null && 'open' in storage && typeof storage.open === 'function') return;
  const given = storage === undefined ? '' : `, got ${String(storage)}`;
  throw new TypeError(
    `${name} requires the option 'storage': a storage adapter, such as memoryStorage() or sqliteStorage({ file })${given}`,
  );
};

/** The end of an error message about an unknown name: quotes the name, and suggests the one that was probably meant or else lists all valid ones. */
export const unknownName = (given: string, names: readonly string[]): string => {
  const shown = `'${given.slice(0, MAX_COMPARED_LENGTH)}'`;
  const meant = given.length > MAX_COMPARED_LENGTH ? undefined : nearest(given, names);
  if (meant !== undefined) return `${shown}: did you mean '${meant}'?`;
  return names.length > 0 ? `${shown}, but ${names.join(', ')}` : `${shown}, nor any other`;
};

/** Maximum length of a name to compare with the valid ones. The cost of a comparison is the product of the lengths. */
const MAX_COMPARED_LENGTH = 100;

/** The names of all options, including those that only some members of a union have. */
type OptionNames<T> = T extends unknown ? keyof T & string : never;

/** The name closest to the given one; undefined if more than half of the characters differ. */
export const nearest = (given: string, names: readonly string[]): string | undefined =>
  names
    .map((name) => ({ name, edits: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(given.length, name.length) / 2)
    .sort((a, b) => a.edits - b.edits)[0]?.name;

/** The number of characters to insert, delete or replace (Levenshtein distance). */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (b[j - 1] === character ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};
