/** The JSON text of large values part by part, so that others have a turn between the parts. */

/** Elements from which on a value counts as large. */
const MANY = 2000;
/** Characters of a part, about. */
export const PART = 65_536;

const arraysIn = (value: object): readonly (readonly unknown[])[] =>
  Array.isArray(value) ? [value] : Object.values(value).filter(Array.isArray);

/** Whether the arrays of an object and of their elements have many elements: as of a service whose policies ask for many posture checks. */
export const isLarge = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  let count = 0;
  for (const array of arraysIn(value))
    for (const element of array) {
      count++;
      if (typeof element === 'object' && element !== null) for (const inner of arraysIn(element)) count += inner.length;
      if (count > MANY) return true;
    }
  return false;
};

/** @returns parts that make `JSON.stringify(value)` together. @param value JSON: objects without `toJSON` */
export function* jsonParts(value: object, isSplit: (value: unknown) => boolean = isLarge): Generator<string> {
  const isArray = Array.isArray(value);
  let text = isArray ? '[' : '{';
  let separator = '';
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined && !isArray) continue;
    text += isArray ? separator : `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (typeof member === 'object' && member !== null && isSplit(member)) {
      yield text;
      yield* jsonParts(member, isSplit);
      text = '';
    } else text += JSON.stringify(member) ?? 'null';
    if (text.length < PART) continue;
    yield text;
    text = '';
  }
  yield text + (isArray ? ']' : '}');
}
