/** True if two values are equal as JSON. The order of properties is ignored, because stores may change it. */
export const isSameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const [those, these] = [Object.entries(a), Object.keys(b)];
  return (
    those.length === these.length && those.every(([name, value]) => Object.hasOwn(b, name) && isSameJson(value, b[name as keyof typeof b]))
  );
};
