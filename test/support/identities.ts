import type { App } from './app.ts';

/** An identity without anything to log in with. */
export const aPerson = (app: App, name = 'ann') => app.create('/identities', { name, type: 'User', isAdmin: false });
