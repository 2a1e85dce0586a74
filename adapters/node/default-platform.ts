import type { Platform } from '../../src/adapter-kit.ts';
import { nodePlatform } from '../platform/node.ts';

/** Options with `nodePlatform()` as the default platform. Passes on anything that is not an object, for the core to reject. */
export const withNodePlatform = <T extends { readonly platform?: Platform | undefined }>(options: T): T =>
  options instanceof Object && options.platform === undefined ? { ...options, platform: nodePlatform() } : options;
