<<<<<<< HEAD

export type { Handling } from './handling.ts';
export type { NodeOptions } from './node-bridge.ts';
export { type NodeListener, nodeHandler } from './node-handler.ts';
export { clientCertificates, type ServeLimits, type ServeOptions, type Serving, serve } from './node-server.ts';

=======

export { type Handling, type NodeHandlerOptions, type NodeListener, nodeHandler } from './node-handler.ts';
export { type ServeLimits, type ServeOptions, type Serving, serve } from './node-server.ts';
export type { TrustedProxies } from './trusted-proxies.ts';

>>>>>>> main
