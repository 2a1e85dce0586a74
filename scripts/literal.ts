/** Writes JSON values as TypeScript source text. */

export const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The name of a property, quoted only if necessary. */
export const propertyName = (name: string): string => (/^\w+$/.test(name) ? name : quoted(name));

export const literal = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, each]) => `${propertyName(name)}: ${literal(each)}`);
  return `{ ${members.join(', ')} }`;
};
