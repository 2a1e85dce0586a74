/**
 * The options of a function, once it is known that each has a meaning: one that is misspelt would go unnoticed, and its default would count.
 * @param name of the function, for the message
 * @param known the name of every option
 * @throws TypeError that names the option, and the one that was probably meant
 */
export const checkedOptions = <T extends object>(name: string, options: T, known: Readonly<Record<AllKeys<T>, true>>): T => {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${name} takes an object of options, got ${String(options)}`);
  const names = Object.keys(known);
  for (const given of Object.keys(options)) {
    if (Object.hasOwn(known, given)) continue;
    const meant = nearest(given, names);
    throw new TypeError(`${name} has no option '${given}'${meant ? `: did you mean '${meant}'?` : `; it has ${names.join(', ')}`}`);
  }
  return options;
};

/** Also the keys that only some members of a union have. */
type AllKeys<T> = T extends unknown ? keyof T & string : never;

/** The name that differs least, where the two have more in common than not. */
const nearest = (given: string, names: readonly string[]): string | undefined => {
  const [best] = names
    .map((name) => ({ name, distance: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(given.length, name.length) / 2)
    .sort((a, b) => a.distance - b.distance);
  return best?.name;
};

/** How many characters have to be put in, taken out or replaced (Levenshtein). */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (b[j - 1] === character ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
};
