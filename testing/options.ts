import { memoryStorage } from '../adapters/storage/memory/index.ts';
import { consoleLogger } from '../src/adapter-kit.ts';
import { type Clock, type ControllerOptions, type Platform, webPlatform } from '../src/index.ts';
import { checkedOptions } from '../src/options.ts';
import { fastPasswordHasher } from '../src/platform/testing.ts';
import { frozenClock, type TestClock } from './clock.ts';
import { type TestOutbound, testOutbound } from './outbound.ts';
import type { Recorder } from './recorded.ts';
import type { Work } from './work.ts';

/** The options of `ManagementController.open`, all optional, and a clock. */
export interface TestNetworkOptions extends Partial<Omit<ControllerOptions, 'platform'>> {
  /** The clock of the network, for tests that share a clock or start at another time. Default: a new `frozenClock()`. */
  readonly clock?: TestClock;
  /**
   * A platform, or parts of one, to use instead of the kit's. Its clock is ignored unless it is a `TestClock`, and requests to signers that the kit created
   * stay in memory. Default: fast password hashing, logging to the console, and no requests to other addresses.
   */
  readonly platform?: Partial<Platform>;
}

/** The options of a controller for a test, and the parts of them that the kit uses. */
export const controllerOptions = (
  given: TestNetworkOptions,
  work: Work,
  recorder: Recorder,
): { readonly options: ControllerOptions; readonly clock: TestClock; readonly outbound: TestOutbound } => {
  const { clock: givenClock, platform: parts = {}, storage = memoryStorage(), observe = [], settings, ...others } = given;
  checkedOptions('testNetwork, platform', parts, { clock: true, random: true, passwords: true, logger: true, outbound: true });
  const clock = givenClock ?? (isTestClock(parts.clock) ? parts.clock : frozenClock());
  const outbound = testOutbound(work, parts.outbound);
  const logger = recorder.logger(parts.logger ?? consoleLogger(() => clock.now()));
  const platform = webPlatform({ passwords: fastPasswordHasher(), ...parts, clock, outbound, logger });
  const options: ControllerOptions = {
    ...others,
    storage: work.tracked(storage),
    platform,
    observe: [...[observe].flat(), recorder.observe],
    settings: { address: 'https://127.0.0.1:1280', ...settings },
  };
  return { options, clock, outbound };
};

const isTestClock = (clock: Clock | undefined): clock is TestClock => clock !== undefined && 'advanceInSteps' in clock;
