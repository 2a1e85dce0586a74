import type { KindName } from '../../src/contract/api/index.ts';
import type { Query } from '../../src/store/storage/port.ts';
import { spiedStorage } from './spied-storage.ts';
import { newStorage } from './stores.ts';

/** A real store, and the questions that it is asked about a kind. */
export const overheard = (name: string, kind: KindName = 'change') => {
  const asked: Query[] = [];
  const storage = spiedStorage(newStorage(name), (method, [about, query]) => {
    if (method === 'list' && about === kind) asked.push(query as Query); // by the signature of the port
  });
  return { storage, asked };
};
