/**
 * Serves routers that connect over TLS, with `node:tls`.
 * @module overlay-controller/routers/node
 */
export { type InspectedRouter, inspectRouters, type RouterInspection } from '../../src/routers.ts';
export { CONTROL_PROTOCOL, type RouterHandler, routerHandler } from './router-handler.ts';
export { type RouterLimits, type ServeRoutersOptions, type ServingRouters, serveRouters } from './serve-routers.ts';
