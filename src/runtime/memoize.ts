/** Memoizes a function: `compute` is called once for each key, unless it returned undefined. */
export const memoize = <K, V>(compute: (key: K) => V): ((key: K) => V) => {
  const values = new Map<K, V>();
  return (key) => {
    const value = values.get(key) ?? compute(key);
    values.set(key, value);
    return value;
  };
};
