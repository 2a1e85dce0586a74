/**
 * Formats a JSON value with one line per member down to a certain depth, so that an OpenAPI document has one line per operation and schema.
 * A diff then shows what has changed, and the text is half as long as with every member on its own line.
 */
export const outlined = (value: unknown, depth: number, indent = ''): string => {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${indent} ${JSON.stringify(name)}: ${outlined(each, depth - 1, `${indent} `)}`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
};
