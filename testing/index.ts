/**
 * For tests of applications that embed a controller.
 * @module overlay-controller/testing
 */
export { fastPasswordHasher } from '../src/platform/testing.ts';
export { frozenClock, type TestClock } from './clock.ts';
export { type TestEntity, type TestIdentity, type TestNetwork, type TestRoles, testNetwork } from './network.ts';
