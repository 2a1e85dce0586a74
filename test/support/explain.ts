import type { App } from './app.ts';

export type Explanation = Awaited<ReturnType<App['controller']['api']['access']['explain']>>;

export const explain = (app: App, identityId: string, serviceId: string, type: 'Dial' | 'Bind' = 'Dial'): Promise<Explanation> =>
  app.controller.api.access.explain({ identityId, serviceId, type });
