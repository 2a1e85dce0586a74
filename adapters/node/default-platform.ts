import type { Platform } from '../../src/adapter-kit.ts';
import { nodePlatform } from '../platform/node.ts';

/** Options with a platform. The core checks the rest, also when they are no object. */
export const withNodePlatform = <T extends { readonly platform?: Platform | undefined }>(options: T): T =>
  options instanceof Object && options.platform === undefined ? { ...options, platform: nodePlatform() } : options;
