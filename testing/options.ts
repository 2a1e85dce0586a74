import { memoryStorage } from '../adapters/storage/memory/index.ts';
import { consoleLogger } from '../src/adapter-kit.ts';
import { checkedOptions } from '../src/contract/options.ts';
import { type Clock, type ControllerOptions, type Platform, webPlatform } from '../src/index.ts';
import { fastPasswordHasher } from '../src/runtime/platform/testing.ts';
import { frozenClock, type TestClock } from './clock.ts';
import { type TestOutbound, testOutbound } from './outbound.ts';
import type { Recorder } from './recorded.ts';
import type { Work } from './work.ts';

/** The options of `ManagementController.open`, all optional, and a clock. */
export interface TestNetworkOptions extends Partial<Omit<ControllerOptions, 'platform'>> {
  /** The clock of the network, e.g. a shared one, or one that starts at another time. Default: a new `frozenClock()`. */
  readonly clock?: TestClock;
  /**
   * A platform, or parts of one, to use instead of the kit's. Its clock is ignored unless it is a `TestClock`, and requests to signers that
   * the kit created stay in memory. Default: fast password hashing, logging to the console, and no requests to other addresses.
   */
  readonly platform?: Partial<Platform>;
}

/** Derives the options of the controller from those of the test network, with the clock and the outbound requests that the kit uses. */
export const controllerOptions = (
  networkOptions: TestNetworkOptions,
  work: Work,
  recorder: Recorder,
): { readonly options: ControllerOptions; readonly clock: TestClock; readonly outbound: TestOutbound } => {
  const { platform: overrides = {}, storage = memoryStorage(), observe = [], settings, clock: ownClock, ...others } = networkOptions;
  checkedOptions('testNetwork, platform', overrides, { clock: true, random: true, passwords: true, logger: true, outbound: true });
  const clock = ownClock ?? (isTestClock(overrides.clock) ? overrides.clock : frozenClock());
  const outbound = testOutbound(work, overrides.outbound);
  const logger = recorder.logger(overrides.logger ?? consoleLogger(() => clock.now()));
  const platform = webPlatform({ passwords: fastPasswordHasher(), ...overrides, clock, outbound, logger });
  const options: ControllerOptions = {
    ...others,
    storage: work.trackStorage(storage),
    platform,
    observe: [...[observe].flat(), recorder.observe],
    settings: { address: 'https://127.0.0.1:1280', ...settings },
  };
  return { options, clock, outbound };
};

const isTestClock = (clock: Clock | undefined): clock is TestClock => clock !== undefined && 'advanceInSteps' in clock;
