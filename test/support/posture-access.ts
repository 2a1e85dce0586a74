import type { App } from './app.ts';
import { checkOf } from './posture.ts';

/** A policy for everybody and every service, with the checks of these ids. */
export const policyWith = (app: App, name: string, checks: readonly string[], more: object = {}) =>
  app.create('/service-policies', {
    name,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
    postureCheckRoles: checks.map((id) => `@${id}`),
    ...more,
  });
export const aService = (app: App, name = 'wiki') => app.create('/services', { name, encryptionRequired: true });
export const domainCheck = (app: App, name: string, ...domains: string[]) => checkOf(app, name, { typeId: 'DOMAIN', domains });
export const domain = (name: string) => ({ typeId: 'DOMAIN', id: 'any', domain: name });
