/**
 * For tests of applications that embed a controller: an in-memory network with identities, devices and routers.
 * @module overlay-controller/testing
 */
export type { Frame } from '../src/fabric/control-channel/frame.ts';
export type { MessageType } from '../src/fabric/control-channel/messages/message-type.ts';
export { fastPasswordHasher } from '../src/runtime/platform/testing.ts';
export type { TestCa, TestCertificateOptions } from './authorities.ts';
export type { TestCertificate } from './certificates.ts';
export { frozenClock, type TestClock } from './clock.ts';
export type { TestDevice } from './devices.ts';
export type { TestEntity, TestRoles } from './entity.ts';
export type { TestIdentity, TestUser } from './identities.ts';
export type { TestJwtSigner } from './jwt-signers.ts';
export type { TestFetch } from './kit.ts';
export { type TestNetwork, type TestPostureCheck, testNetwork } from './network.ts';
export type { TestNetworkOptions } from './options.ts';
export type { TestSubject } from './policies.ts';
export type { LogLine, Recorded } from './recorded.ts';
export type { TestRouter } from './routers.ts';
export type { ScriptedRouter, ScriptedRouterOptions } from './scripted-router.ts';
export type { TestSession } from './session.ts';
