import type { AccessReport } from '../api/access-report.ts';
import type { OverriddenTests } from '../api/changes.ts';
import type { Call, Entry } from '../call/call.ts';
import type { Core } from '../call/core.ts';
import type { Entities, InTransaction } from '../entities/entities.ts';
import type { HookedTransactions } from '../entities/hooked-transactions.ts';
import type { AroundWrite, Rehearse, Write } from '../entities/writer.ts';
import type { Permit } from './authorize.ts';
import type { ReadTogether } from './shared-reads.ts';

/** What writes mean for access. `entities` is the state after them. */
export interface WhatIf {
  /** @returns compares what was gathered, without the store: who gains and loses what, as far as the caller may see it */
  gather(entities: Entities, call: Call): Promise<() => Promise<AccessReport>>;
  /** @throws ApiError `ACCESS_LOST` if more is lost than `maxLost` */
  assertLost(entities: Entities, call: Call, maxLost: number): Promise<void>;
  /**
   * @param isOverridden true if the caller wants to break tests
   * @returns the tests that were overridden
   * @throws ApiError `POLICY_TESTS_BROKEN`; `UNAUTHORIZED` if the caller may not override them
   */
  assertTests(entities: Entities, call: Call, isOverridden: boolean): Promise<OverriddenTests | undefined>;
}

/** The parts of a controller that its calls use. */
export interface Parts {
  readonly core: Core;
  /** Runs a write in a transaction of the controller. */
  readonly write: Write;
  /** Runs a write in a transaction that is rolled back. */
  readonly rehearse: Rehearse;
  /** Runs around a write in the host's transaction, as `write` does in its own. */
  readonly aroundWrite: AroundWrite;
  /** Takes ended grants out of effect, in a transaction of the host. */
  readonly endGrants: (entities: Entities) => Promise<void>;
  /** The host's hook that runs in the transaction of every write. */
  readonly inTransaction: InTransaction | undefined;
  /** The transactions in which that hook runs. */
  readonly hookedTransactions: HookedTransactions;
  /** True if the host has a rule or the hook `before`, which run in calls. */
  readonly hasHostCode: boolean;
  readonly permit: Permit;
  readonly readTogether: ReadTogether;
  readonly whatIf: WhatIf;
  /** Every operation, by its name in the API: `identities.create`. */
  readonly entries: ReadonlyMap<string, Entry>;
}
