import { kinds } from '../../contract/api/kinds.ts';
import { explained } from '../../contract/errors/index.ts';
import { ALL } from '../../query/index.ts';
import { ForwardingTransaction, type StoreArguments, type StoreOperation, type StoreResult } from '../../store/storage/forwarding.ts';
import type { Query, Read, ReadAnswer, Row, Transaction } from '../../store/storage/port.ts';
import { snapshotTables } from '../../store/storage/snapshot/take.ts';
import { changeMarker, type Marker, markerIn } from './marker.ts';
import { mergedQuotas, type Quotas } from './quotas.ts';

/** State and callbacks of the tenant to which a transaction belongs. */
export interface Watched {
  /** Default quotas of tenants. */
  readonly defaults: Quotas;
  /** True once the tenant is known to be erased. */
  readonly isErased: boolean;
  /**
   * True for the import of a snapshot, which counts all rows, including those of kinds that have other limits in an open network. Default:
   * false.
   */
  readonly isImport?: boolean;
  /** Called in each transaction with the effective quotas. */
  onQuotas(quotas: Quotas): void;
  /**
   * Called if a transaction finds that the tenant no longer exists.
   * @returns the error to throw
   */
  onErased(): Error;
}

/** Kinds that do not count towards the size: those of logins and controllers, and those that have other limits. */
const UNCOUNTED: ReadonlySet<string> = new Set<string>(
  [
    kinds.change,
    kinds.apiSession,
    kinds.apiSessionCertificate,
    kinds.session,
    kinds.revocation,
    kinds.trace,
    kinds.controller,
    kinds.keptSecret,
  ].map(({ kind }) => kind),
);
const COUNTED: ReadonlySet<string> = new Set(snapshotTables.filter((kind) => !UNCOUNTED.has(kind)));

/** The kinds for which a quota limits the number of entities. */
const LIMITED: Readonly<Record<string, 'identities' | 'services' | undefined>> = { identity: 'identities', service: 'services' };

/**
 * Reads the quotas from the marker of the tenant.
 * @throws the error that `watched.onErased` returns if the tenant has no marker
 */
export const quotasIn = async (tx: Transaction, watched: Watched): Promise<Quotas> => quotasOf(await markerIn(tx), watched);

const quotasOf = (marker: Marker | undefined, { defaults, onQuotas, onErased }: Watched): Quotas => {
  if (!marker) throw onErased();
  const quotas = mergedQuotas(defaults, marker.quotas);
  onQuotas(quotas);
  return quotas;
};

/**
 * Decorates a write transaction in the namespace of a tenant: rejects reads and writes after the tenant was erased, and enforces the
 * quotas.
 */
export class TenantTransaction extends ForwardingTransaction {
  readonly #watched: Watched;
  /** True for a transaction of the host, which has no hook before its commit. */
  readonly #isJoined: boolean;
  #quotas: Promise<Quotas> | undefined;
  /** Bytes by which the counted entities have grown since the last `beforeCommit`; negative if they have shrunk. */
  #growth = 0;
  /** The kinds with a limited number of entities of which some were inserted since the last `beforeCommit`. */
  readonly #inserted = new Set<string>();
  /** Bytes of the rows imported so far. */
  #imported = 0;

  constructor(tx: Transaction, watched: Watched, isJoined: boolean) {
    super(tx);
    this.#watched = watched;
    this.#isJoined = isJoined;
  }

  /** @throws if the tenant no longer exists */
  ready(): Promise<Quotas> {
    return (this.#quotas ??= quotasIn(this.inner, this.#watched));
  }

  /**
   * Counts the entities as the transaction leaves them, because a batch may create some before it deletes others, and records the growth in
   * the marker.
   * @throws ApiError `QUOTA_EXCEEDED` if the entities have grown beyond a quota
   */
  async beforeCommit(): Promise<void> {
    for (const kind of this.#inserted) await this.#assertCount(kind);
    this.#inserted.clear();
    const growth = this.#growth;
    if (growth === 0) return;
    this.#growth = 0;
    // Reads the marker again, because others that have joined the same transaction may also have written.
    const marker = await changeMarker(this.inner, ({ bytes }) => ({ bytes: Math.max(0, bytes + growth) }));
    const { storageBytes } = quotasOf(marker, this.#watched);
    if (growth > 0 && marker && storageBytes != null && marker.bytes > storageBytes)
      throw explained(
        'QUOTA_EXCEEDED',
        `the entities of this network may have ${storageBytes} bytes at most, and would have ${marker.bytes}`,
      );
  }

  protected override async pass<O extends StoreOperation>(operation: O, args: StoreArguments<O>): Promise<StoreResult<O>> {
    await this.ready();
    return super.pass(operation, args);
  }

  /** Hides the marker from the rows of the tenant, so that a namespace without other rows counts as empty for a restore. */
  override async list(kind: string, query: Query): Promise<readonly Row[]> {
    await this.ready();
    return kind === kinds.tenant.kind ? [] : this.inner.list(kind, query);
  }

  override async insert(kind: string, row: Row): Promise<void> {
    const quotas = await this.ready();
    if (this.#watched.isImport) this.#import(row, quotas);
    if (LIMITED[kind]) {
      if (this.#isSettledAtOnce) await this.#assertCount(kind, 1);
      else this.#inserted.add(kind);
    }
    await this.inner.insert(kind, row);
    await this.#growBy(sizeOf(kind, row));
  }

  override async update(kind: string, row: Row, expected: number): Promise<void> {
    const before = await this.#sizeBefore(kind, row.id);
    await this.inner.update(kind, row, expected);
    await this.#growBy(sizeOf(kind, row) - before);
  }

  override async delete(kind: string, id: string): Promise<boolean> {
    const before = await this.#sizeBefore(kind, id);
    const isDeleted = await this.inner.delete(kind, id);
    await this.#growBy(-before);
    return isDeleted;
  }

  override async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    const answers = await super.readAll(reads);
    return answers.map((answer, i) => (reads[i]?.read === 'list' && reads[i].kind === kinds.tenant.kind ? [] : answer));
  }

  async #sizeBefore(kind: string, id: string): Promise<number> {
    await this.ready();
    const row = COUNTED.has(kind) ? await this.inner.get(kind, id) : undefined;
    return row ? sizeOf(kind, row) : 0;
  }

  /** Checks the quota before each row, so that nothing is written beyond it. */
  #import(row: Row, { storageBytes }: Quotas): void {
    this.#imported += bytesOf(row);
    if (storageBytes != null && this.#imported > storageBytes)
      throw explained('QUOTA_EXCEEDED', `the snapshot holds more than the ${storageBytes} bytes that this network may have`);
  }

  /** True if each write is checked on its own. */
  get #isSettledAtOnce(): boolean {
    return this.#isJoined || this.#watched.isImport === true;
  }

  async #assertCount(kind: string, more = 0): Promise<void> {
    const quota = LIMITED[kind];
    const limit = quota && (await this.ready())[quota];
    if (limit != null && (await this.inner.count(kind, ALL)) + more > limit)
      throw explained('QUOTA_EXCEEDED', `this network may have ${limit} ${quota} at most`);
  }

  async #growBy(bytes: number): Promise<void> {
    this.#growth += bytes;
    if (this.#isJoined) await this.beforeCommit();
  }
}

const sizeOf = (kind: string, row: Row): number => (COUNTED.has(kind) ? bytesOf(row) : 0);

/** Approximates the size of a row as JSON in UTF-16 units, which is less than in UTF-8 for non-ASCII text. */
const bytesOf = (row: Row): number => JSON.stringify(row).length;
