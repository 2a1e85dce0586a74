/**
 * The entry point `tenants` on Node (the export condition `node` in package.json): the core, with `nodePlatform()` as the default platform.
 */
import { openOverlays as openCore } from '../../src/controller/tenants/index.ts';
import { withNodePlatform } from './default-platform.ts';

export * from '../../src/controller/tenants/index.ts';
export const openOverlays: typeof openCore = (options) => openCore(withNodePlatform(options));
