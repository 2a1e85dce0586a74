import type { Core } from '../call/core.ts';
import type { InTransaction } from '../entities/entities.ts';
import type { AroundWrite, Write } from '../entities/writer.ts';
import type { Permit } from './authorize.ts';

/** The parts of a controller that its calls use. */
export interface Parts {
  readonly core: Core;
  /** Through which every change goes. */
  readonly write: Write;
  /** Runs with changes in the host's transaction, as with every other. */
  readonly aroundWrite: AroundWrite;
  /** The host's own part in every write. */
  readonly inTransaction: InTransaction | undefined;
  readonly permit: Permit;
}
