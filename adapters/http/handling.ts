import type { CoreAnswer, CoreRequest } from '../../src/adapter-kit.ts';

/** Whatever answers requests: a controller. */
export interface Handling {
  /** Answers a request. A controller never rejects; of what does, clients see a 500. */
  handle(request: CoreRequest): Promise<CoreAnswer>;
}
