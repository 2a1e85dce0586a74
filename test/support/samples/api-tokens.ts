import { giveToken, inDays } from '../api-tokens.ts';
import type { App } from '../app.ts';
import { listed, type SamplesOf } from './sample.ts';

const aToken = async (app: App): Promise<string> => (await giveToken(app, (await app.user()).id)).id;

const ownToken = async (app: App) => {
  const user = await app.user();
  return { id: (await giveToken(app, user.id)).id, as: await user.login() };
};

export const apiTokens: SamplesOf<'apiTokens'> = {
  list: listed(aToken),
  get: async (app) => ({ id: await aToken(app) }),
  create: async (app) => ({
    body: { identityId: (await app.user()).id, name: 'for CI', expiresAt: inDays(app, 30) },
    leaves: ['create apiToken'],
  }),
  patch: async (app) => ({ id: await aToken(app), body: { name: 'for Terraform' }, leaves: ['update apiToken'] }),
  delete: async (app) => ({ id: await aToken(app), leaves: ['delete apiToken'] }),
  rotate: async (app) => ({ id: await aToken(app), body: { overlapMinutes: 5 }, leaves: ['update apiToken'] }),
};

export const currentApiTokens: SamplesOf<'currentApiTokens'> = {
  list: async (app) => ({ as: (await ownToken(app)).as }),
  create: async (app) => ({
    as: await (await app.user()).login(),
    body: { name: 'for CI', expiresAt: inDays(app, 30) },
    refused: 'NOT_CONFIGURED',
  }),
  rotate: async (app) => ({ ...(await ownToken(app)), refused: 'NOT_CONFIGURED' }),
  delete: async (app) => ({ ...(await ownToken(app)), leaves: ['delete apiToken'] }),
};
