/** True if two values are equal as JSON. Ignores the order of properties, because stores may change it. */
export const isSameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const [entries, keys] = [Object.entries(a), Object.keys(b)];
  return (
    entries.length === keys.length &&
    entries.every(([name, value]) => Object.hasOwn(b, name) && isSameJson(value, b[name as keyof typeof b]))
  );
};
