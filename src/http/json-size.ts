import { type JsonLimits, tooMany } from '../call/json.ts';

/**
 * The message about the limit that a JSON text exceeds; undefined if it is within the limits. Scans only the punctuation, because parsing
 * the text first would take many times its memory. Validity is left to the parser.
 */
export const excessOf = (bytes: Uint8Array, limits: JsonLimits): string | undefined => {
  let values = 1;
  let keys = 0;
  let depth = 0;
  const { keysOfObject = limits.keys } = limits;
  /** The number of keys so far of the open object at each depth. */
  const keysAt: number[] = [];
  let previous = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number; // i is below the length
    switch (byte) {
      case SPACE:
      case TAB:
      case LINE_FEED:
      case CARRIAGE_RETURN:
        continue;
      case QUOTE:
        i = endOfString(bytes, i);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > limits.depth) return `${limits.name} is nested more than ${limits.depth} levels deep`;
        values++; // its first value; taken back if it is empty
        keysAt[depth] = 0;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        if (previous === OPEN_LIST || previous === OPEN_OBJECT) values--;
        break;
      case COMMA:
        values++;
        break;
      case COLON:
        if (++keys > limits.keys) return tooMany('keys', limits);
        keysAt[depth] = (keysAt[depth] ?? 0) + 1;
        if ((keysAt[depth] ?? 0) > keysOfObject) return `an object in ${limits.name} has more than ${keysOfObject} keys`;
        break;
    }
    // The end of an empty container may still decrement the number of values.
    if (values > limits.values + 1) return tooMany('values', limits);
    previous = byte;
  }
  return values > limits.values ? tooMany('values', limits) : undefined;
};

/** The position of the closing quote of the string whose opening quote is at `start`. */
const endOfString = (bytes: Uint8Array, start: number): number => {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === BACKSLASH) i++;
    else if (bytes[i] === QUOTE) return i;
  }
  return bytes.length;
};

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE, QUOTE, COMMA, COLON] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x3a];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d];
