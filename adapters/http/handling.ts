import type { CoreAnswer, CoreRequest, Logger } from '../../src/adapter-kit.ts';

/** A controller, or a wrapper around its `handle`. */
export interface Handling {
  /** Answers a request. A controller never rejects; of what does, clients see a 500. */
  handle(request: CoreRequest): Promise<CoreAnswer>;
  /** Where is logged why it rejected. A controller has one; default: the console. */
  readonly logger?: Pick<Logger, 'error'>;
}
