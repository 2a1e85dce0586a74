/** Where a request comes from, and what it is about. */
export interface Flow {
  readonly from: string;
  readonly name: string | undefined;
}

interface Entry {
  readonly entry: Flow;
}

/**
 * The entry to drop from a full queue: of the source with the most entries, and there of the name with the most, the one that has waited longest,
 * because its client is closest to giving up (longest queue drop, B. Suter et al., 1998). A single source may thus fill the queue, but cannot keep
 * others out.
 */
export const longestQueueDrop = <W extends Entry>(full: readonly W[], newcomer: Flow): W | undefined => {
  const fromCrowded = largest(full, ({ from }) => from, newcomer);
  return largest(fromCrowded, ({ name }) => name, newcomer)[0];
};

/** The largest group; the newcomer counts in its own. */
const largest = <W extends Entry>(all: readonly W[], by: (origin: Flow) => unknown, newcomer: Flow): readonly W[] => {
  const sizeOf = ([key, group]: readonly [unknown, readonly W[]]) => group.length + (key === by(newcomer) ? 1 : 0);
  const groups = [...Map.groupBy(all, ({ entry }) => by(entry))];
  return (
    groups.reduce<readonly [unknown, readonly W[]] | undefined>(
      (most, each) => (most && sizeOf(most) >= sizeOf(each) ? most : each),
      undefined,
    )?.[1] ?? []
  );
};
