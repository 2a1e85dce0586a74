import type { Api } from './operation.ts';

/** Where each API answers, below the address of the controller. */
export const API_PATHS: Readonly<Record<Api, string>> = {
  management: '/edge/management/v1',
  client: '/edge/client/v1',
  extensions: '/edge/management/extensions/v1',
};
