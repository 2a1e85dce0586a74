import type { CoreAnswer, CoreRequest, Logger } from '../../src/adapter-kit.ts';

/** A controller, or a wrapper around its `handle`. */
export interface Handling {
  /** Answers a request. A controller never rejects. If a wrapper does, the client gets 500. */
  handle(request: CoreRequest): Promise<CoreAnswer>;
  /** Logs why `handle` rejected. A controller has one; default: the console. */
  readonly logger?: Pick<Logger, 'error'>;
}
