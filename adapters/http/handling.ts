import type { CoreAnswer, CoreRequest } from '../../src/adapter-kit.ts';

/** Whatever answers requests: a controller. */
export interface Handling {
  handle(request: CoreRequest): Promise<CoreAnswer>;
}
