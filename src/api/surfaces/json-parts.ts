/** Serializes large values to JSON part by part, so that the caller can yield to the event loop in between. */

/** Elements from which on a value counts as large. */
const MANY = 2000;
/** Characters of a part, about. */
export const PART = 65_536;

/** Elements of an array and, unless it is an inner one, of the arrays of its elements. */
const countArray = (array: readonly unknown[], isInner: boolean): number => {
  let count = array.length;
  for (let i = 0; i < array.length && !isInner && count <= MANY; i++) count += countArrays(array[i], true);
  return count;
};

/** Elements of the arrays of a value. It runs for every entity of every page, so that it makes nothing. */
const countArrays = (value: unknown, isInner = false): number => {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return countArray(value, isInner);
  let count = 0;
  for (const name in value) {
    const member: unknown = value[name as keyof typeof value];
    if (Array.isArray(member)) count += countArray(member, isInner);
  }
  return count;
};

/** True if an object has large arrays, also in its elements: such as a service whose policies require many posture checks. */
export const isLarge = (value: unknown): boolean => countArrays(value) > MANY;

/** Texts of objects that may come more than once, as what a policy asks for does in each service that it grants. */
export type Texts = WeakMap<object, string>;

const textOf = (value: unknown, texts: Texts): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
};

/** @returns parts that make `JSON.stringify(value)` together. @param value JSON: objects without `toJSON` */
export function* jsonParts(value: object, texts: Texts = new WeakMap(), isSplit: (value: unknown) => boolean = isLarge): Generator<string> {
  const isArray = Array.isArray(value);
  let text = isArray ? '[' : '{';
  let separator = '';
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined && !isArray) continue;
    text += isArray ? separator : `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (typeof member === 'object' && member !== null && isSplit(member)) {
      yield text;
      yield* jsonParts(member, texts, isSplit);
      text = '';
    } else text += textOf(member, texts);
    if (text.length < PART) continue;
    yield text;
    text = '';
  }
  yield text + (isArray ? ']' : '}');
}

/** An object that is JSON text already, e.g. remembered from an earlier call. */
export class Written {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** Where it stands in something else. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
