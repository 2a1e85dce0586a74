/**
 * The options of a function, once it is known that each has a meaning: one that is misspelt would go unnoticed, and its default would count.
 * @param name of the function, for the message
 * @param known the name of every option
 * @throws TypeError that names the option, and the one that was probably meant
 */
export const checkedOptions = <T extends object>(name: string, options: T, known: Readonly<Record<OptionNames<T>, true>>): T => {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${name} takes an object of options, got ${String(options)}`);
  for (const given of Object.keys(options)) {
    if (!Object.hasOwn(known, given)) throw new TypeError(`${name} has no option ${unknownName(given, Object.keys(known))}`);
  }
  return options;
};

/**
 * Refuses input of an operation that has no meaning there. The fields of a body are for its schema to say. An entity, as an answer shows it, may stand for
 * its id: `get(created)`.
 * @param name of the operation, for the message
 * @throws TypeError that names the given value, and the probable intention
 */
export const refuseUnknownInput = (name: string, input: unknown, names: readonly string[]): void => {
  const given: object = Object(input);
  if ('_links' in given && names.includes('id')) return;
  for (const one of Object.keys(given)) if (!names.includes(one)) throw new TypeError(`${name} takes no ${unknownName(one, names)}`);
};

/** @throws TypeError for a storage that is missing, or is none */
export const requireStorage = (name: string, storage: unknown): void => {
  if (typeof storage === 'object' && storage !== null && 'open' in storage && typeof storage.open === 'function') return;
  const given = storage === undefined ? '' : `, got ${String(storage)}`;
  throw new TypeError(
    `${name} requires the option 'storage': a storage adapter, such as memoryStorage() or sqliteStorage({ file })${given}`,
  );
};

/** The end of a sentence that refuses a name: the given one, and the name that was probably meant, or else all valid ones. */
export const unknownName = (given: string, names: readonly string[]): string => {
  const shown = `'${given.slice(0, MOST_COMPARED)}'`;
  const meant = given.length > MOST_COMPARED ? undefined : nearest(given, names);
  if (meant !== undefined) return `${shown}: did you mean '${meant}'?`;
  return names.length > 0 ? `${shown}, but ${names.join(', ')}` : `${shown}, nor any other`;
};

/** Maximum length of a name to compare with the others: a comparison costs the product of the lengths. */
const MOST_COMPARED = 100;

/** Also those that only some members of a union have. */
type OptionNames<T> = T extends unknown ? keyof T & string : never;

/** The name closest to the given one, if at least half of the two is the same. */
export const nearest = (given: string, names: readonly string[]): string | undefined =>
  names
    .map((name) => ({ name, away: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, away }) => away <= Math.max(given.length, name.length) / 2)
    .sort((a, b) => a.away - b.away)[0]?.name;

/** How many characters have to be put in, taken out or replaced (Levenshtein). */
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
