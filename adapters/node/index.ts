/** The entry point on Node (the export condition `node` in package.json): the core, with `nodePlatform()` as the default platform. */
import { ManagementController as Core } from '../../src/index.ts';
import { withNodePlatform } from './default-platform.ts';

export * from '../../src/index.ts';
export type ManagementController = Core;
export const ManagementController: typeof Core = { open: (options) => Core.open(withNodePlatform(options)) };
