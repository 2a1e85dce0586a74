export { frozenClock, type TestClock } from '../../testing/clock.ts';
