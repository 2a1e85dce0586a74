const literalText = (text: string): string => text.replace(/^(@?)(?=\$+\d{1,5}\.)/, '$1$$');

/** A value for a batch, in which texts and names of members such as `$1.id` would refer to an earlier operation. */
export const literal = (value: unknown): unknown => {
  if (typeof value === 'string') return literalText(value);
  if (Array.isArray(value)) return value.map(literal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [literalText(key), literal(each)]));
};

/** A text as it was before `literal`. */
export const unescaped = (text: string): string => text.replace(/^(@?)\$(?=\$+\d{1,5}\.)/, '$1');
