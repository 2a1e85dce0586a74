export { type Handling, type NodeHandlerOptions, type NodeListener, nodeHandler } from './node-handler.ts';
export { type ServeLimits, type ServeOptions, type Serving, serve } from './node-server.ts';
export type { TrustedProxies } from './trusted-proxies.ts';
