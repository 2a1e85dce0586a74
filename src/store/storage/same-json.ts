/** Deep equality of JSON values. Ignores the order of properties, because stores may change it. */
export const isSameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const entries = Object.entries(a);
  const others = b as Readonly<Record<string, unknown>>; // read by own keys only
  return (
    entries.length === Object.keys(b).length && entries.every(([name, value]) => Object.hasOwn(b, name) && isSameJson(value, others[name]))
  );
};
