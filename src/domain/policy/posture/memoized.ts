/** Memoizes a function: it is called once for each key. */
export const memoized = <K, V>(work: (key: K) => V): ((key: K) => V) => {
  const values = new Map<K, V>();
  return (key) => {
    const value = values.get(key) ?? work(key);
    values.set(key, value);
    return value;
  };
};
