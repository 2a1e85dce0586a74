/** Times that are remembered. A call asks for a few, and calls of the same millisecond for the same ones. */
const MOST = 16;
const texts = new Map<number, string>();

/** A time in milliseconds since 1970 as ISO 8601 text in UTC. @throws RangeError when it is no time */
export const isoTime = (milliseconds: number): string => {
  const known = texts.get(milliseconds);
  if (known !== undefined) return known;
  if (texts.size === MOST) texts.clear();
  const text = new Date(milliseconds).toISOString();
  texts.set(milliseconds, text);
  return text;
};
