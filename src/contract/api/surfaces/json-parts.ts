/** Serializes large values to JSON part by part, so that the caller can yield to the event loop in between. */

/** A value with more array elements counts as large. */
const MAX_ELEMENTS = 2000;
/** Approximate length of a part in characters. */
export const PART = 65_536;

/** Counts the elements of an array and, unless it is an inner array, those of the arrays in its elements. */
const countArray = (array: readonly unknown[], isInner: boolean): number => {
  let count = array.length;
  for (let i = 0; i < array.length && !isInner && count <= MAX_ELEMENTS; i++) count += countArrays(array[i], true);
  return count;
};

/** Counts the elements of the arrays in a value. Allocates nothing, because it runs for every entity of every page. */
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

/** True if the arrays in a value, including nested ones, have many elements, e.g. a service whose policies require many posture checks. */
export const isLarge = (value: unknown): boolean => countArrays(value) > MAX_ELEMENTS;

/** Caches the JSON of objects that may occur several times in a value, e.g. the requirements of a policy in each service that it grants. */
export type Texts = WeakMap<object, string>;

const textOf = (value: unknown, texts: Texts): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const cached = texts.get(value);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
};

/**
 * @returns parts that together form `JSON.stringify(value)`.
 * @param value JSON: objects without `toJSON`
 */
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

/** An object that is already serialized as JSON, e.g. cached from an earlier call. */
export class SerializedJson {
  readonly text: string;
  /** The version of the entity; undefined if the object is not an entity. */
  readonly version: number | undefined;

  constructor(text: string, version: number | undefined) {
    this.text = text;
    this.version = version;
  }

  /** Used by `JSON.stringify` if the object is nested in a value that is not serialized yet. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
