/**
 * Checks that all given options exist, and returns them. Without the check, the default would silently replace a misspelt option.
 * @param name the name of the function, for the message
 * @param known the names of all options
 * @throws TypeError with the unknown option and the one that was probably meant
 */
export const checkedOptions = <T extends object>(name: string, options: T, known: Readonly<Record<OptionNames<T>, true>>): T => {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`the options of ${name} must be an object, got ${String(options)}`);
  for (const option of Object.keys(options)) {
    if (!Object.hasOwn(known, option)) throw new TypeError(`${name} has no option ${describeUnknown(option, Object.keys(known))}`);
  }
  return options;
};

/**
 * Rejects unknown input of an operation, except for the fields of a body, which its schema validates. If the operation requires an id, an
 * entity from an earlier call may be passed as it is: `get(created)`.
 * @param name the name of the operation, for the message
 * @throws TypeError with the unknown input and the one that was probably meant
 */
export const refuseUnknownInput = (name: string, input: unknown, names: readonly string[]): void => {
  const fields: object = Object(input);
  if ('_links' in fields && names.includes('id')) return;
  const unknown = Object.keys(fields).find((field) => !names.includes(field));
  if (unknown !== undefined) throw new TypeError(`${name} has no input ${describeUnknown(unknown, names)}`);
};

/** @throws TypeError if the storage is missing or not a storage adapter */
export const requireStorage = (name: string, storage: unknown): void => {
  if (typeof storage === 'object' && storage !== null && 'open' in storage && typeof storage.open === 'function') return;
  const given = storage === undefined ? '' : `, got ${String(storage)}`;
  throw new TypeError(
    `${name} requires the option 'storage': a storage adapter, such as memoryStorage() or sqliteStorage({ file })${given}`,
  );
};

/** The end of an error message about an unknown name: the quoted name, with the valid name that was probably meant, or all valid names. */
export const describeUnknown = (name: string, validNames: readonly string[]): string => {
  const quoted = `'${name.slice(0, MAX_COMPARED_LENGTH)}'`;
  const meant = name.length > MAX_COMPARED_LENGTH ? undefined : nearestName(name, validNames);
  if (meant !== undefined) return `${quoted}: did you mean '${meant}'?`;
  return validNames.length > 0 ? `${quoted}, but ${validNames.join(', ')}` : `${quoted}, nor any other`;
};

/** Maximum length of a name that is compared with the valid ones: the cost of a comparison is the product of the lengths. */
const MAX_COMPARED_LENGTH = 100;

/** The names of all options, including those that only some members of a union have. */
type OptionNames<T> = T extends unknown ? keyof T & string : never;

/** The valid name closest to a name; undefined if more than half of the characters differ. */
export const nearestName = (name: string, validNames: readonly string[]): string | undefined =>
  validNames
    .map((validName) => ({ validName, edits: editDistance(name.toLowerCase(), validName.toLowerCase()) }))
    .filter(({ validName, edits }) => edits <= Math.max(name.length, validName.length) / 2)
    .sort((a, b) => a.edits - b.edits)[0]?.validName;

/** The number of characters to insert, delete or replace (Levenshtein distance). */
const editDistance = (a: string, b: string): number => {
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
