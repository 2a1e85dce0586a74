/**
 * The adapter for Node's `http`, `https` and `http2` servers.
 * @module overlay-controller/http/node
 */
export { clientCertificates } from '../tls/client-certificates.ts';
export type { TlsPair, TlsPairs } from '../tls/pairs.ts';
export type { AdmissionLimits, ServerLoad } from './admission.ts';
export type { Handling } from './handling.ts';
export type { AdmissionLoad } from './lane.ts';
export type { NodeOptions } from './node-bridge.ts';
export { nodeErrorHandler } from './node-errors.ts';
export { type NodeListener, nodeHandler } from './node-handler.ts';
export { refuseConnection } from './node-refusal.ts';
export type { NodeIncoming, NodeOutgoing } from './node-request.ts';
export { type ServeOptions, type Serving, serve } from './node-server.ts';
export type { ServeLimits } from './serve-limits.ts';
export type { TrustedProxies } from './trusted-proxies.ts';
export type { UpgradeHandler } from './upgrade-handler.ts';
export type { BodyLimits } from './waiting-bodies.ts';
