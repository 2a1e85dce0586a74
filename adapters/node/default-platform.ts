import type { Platform } from '../../src/adapter-kit.ts';
import { nodePlatform } from '../platform/node.ts';

/** Sets `nodePlatform()` as the default platform. Returns anything that is not an object unchanged, for the core to reject. */
export const withNodePlatform = <T extends { readonly platform?: Platform | undefined }>(options: T): T =>
  options instanceof Object && options.platform === undefined ? { ...options, platform: nodePlatform() } : options;
