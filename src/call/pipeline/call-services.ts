import type { AccessReport } from '../../contract/api/access-report.ts';
import type { OverriddenTests } from '../../contract/api/changes.ts';
import type { Entities, InTransaction } from '../../store/entities/entities.ts';
import type { HookedTransactions } from '../../store/entities/hooked-transactions.ts';
import type { AroundWrite, Rehearse, Write } from '../../store/entities/writer.ts';
import type { Call } from '../call.ts';
import type { Core } from '../core.ts';
import type { Entry } from '../entry.ts';
import type { Permit } from './authorize.ts';
import type { ReadTogether } from './shared-reads.ts';

/** The effect of writes on access. `entities` is the state after them. */
export interface WhatIf {
  /** @returns compares what was gathered, without the store: who gains and loses what, as far as the caller may see it */
  gather(entities: Entities, call: Call): Promise<() => Promise<AccessReport>>;
  /** @throws ApiError `ACCESS_LOST` if more is lost than `maxLost` */
  assertLostWithin(entities: Entities, call: Call, maxLost: number): Promise<void>;
  /**
   * @param isOverridden true if the caller accepts failing tests
   * @returns the tests that were overridden
   * @throws ApiError `POLICY_TESTS_BROKEN`; `UNAUTHORIZED` if the caller may not override them
   */
  assertTestsPass(entities: Entities, call: Call, isOverridden: boolean): Promise<OverriddenTests | undefined>;
}

/** The services of a controller that its calls use. */
export interface CallServices {
  readonly core: Core;
  /** Runs a write in a transaction of the controller. */
  readonly write: Write;
  /** Runs a write in a transaction that is rolled back. */
  readonly rehearse: Rehearse;
  /** Runs around a write in the host's transaction, as `write` does in its own. */
  readonly aroundWrite: AroundWrite;
  /** Ends expired grants, in a transaction of the host. */
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
