import { type KindName, kinds } from '../../src/api/index.ts';
import type { Row } from '../../src/storage/port.ts';
import type { App } from './app.ts';

/** All that a snapshot holds, by kind. */
export const everything = async (app: App): Promise<Readonly<Record<string, readonly Row[]>>> => {
  const stored = (Object.keys(kinds) as KindName[]).filter((kind) => kinds[kind].view === undefined && !('unrecorded' in kinds[kind]));
  return Object.fromEntries(await Promise.all(stored.map(async (kind) => [kind, await app.rows(kind)] as const)));
};

/** Something of many kinds, with texts that are easily lost. */
export const fill = async (app: App) => {
  const user = await app.user({ roleAttributes: ['sales', 'é😀'], appData: { deep: [1.5, null, '\u2028"\n'] }, tags: { a: null } });
  const token = await user.login();
  await app.create('/services', { name: 'printer', encryptionRequired: true, roleAttributes: ['a'] });
  await app.create('/edge-routers', { name: 'edge', isTunnelerEnabled: true });
  await app.create('/service-policies', { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['#all'] });
  return { user, token };
};
