/** Where snapshots are kept. The host gives it; whoever asks for a snapshot has no say in it. */
export interface SnapshotSink {
  /**
   * Keeps the parts of a snapshot, one after another, under this name (letters, digits and hyphens; no name comes twice). Resolves once the snapshot is
   * there to stay. When it rejects, or `parts` throws, nothing is left that could be taken for a snapshot.
   * The store is being read meanwhile: no call of the controller may be waited for.
   */
  save(name: string, parts: AsyncIterable<string>): Promise<void>;
}
