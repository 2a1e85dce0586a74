/** Where snapshots are stored. Configured by the host; a request for a snapshot cannot influence it. */
export interface SnapshotSink {
  /**
   * Saves the parts of a snapshot, one after another, under this name (letters, digits and hyphens; unique). Resolves once the snapshot is durable.
   * If it rejects, or `parts` throws, it must leave nothing that could be mistaken for a snapshot.
   * A read transaction is open until it resolves: do not wait for calls of the controller.
   */
  save(name: string, parts: AsyncIterable<string>): Promise<void>;
}
