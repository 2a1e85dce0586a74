/**
 * A JSON value as text with one line for each member down to a depth: an OpenAPI document has a line for every operation and schema. A change is seen where it
 * is, and the text is half as long as with all members on lines of their own.
 */
export const outlined = (value: unknown, depth: number, indent = ''): string => {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${indent} ${JSON.stringify(name)}: ${outlined(each, depth - 1, `${indent} `)}`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
};
