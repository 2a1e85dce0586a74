/** What a circuit asks of the store: routers ask for many, and most of what decides about them was read before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StorageAdapter, Transaction } from '../../../src/storage/port.ts';
import { SECRET_KEY } from '../../support/app.ts';
import { newStorage, stores } from '../../support/stores.ts';
import { bindBy, dialBy, routed, settled, tokenFor, traffic } from './traffic.ts';

/** A storage that notes which operations are asked of it. */
const noted = (adapter: StorageAdapter): { readonly storage: StorageAdapter; readonly asked: string[] } => {
  const asked: string[] = [];
  const noting = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          asked.push([String(name), ...args.slice(0, 1).filter((arg) => typeof arg === 'string')].join(' '));
          return value.apply(target, args);
        };
      },
    });
  const open: StorageAdapter['open'] = async (schema) => {
    const store = await adapter.open(schema);
    const transaction = store.transaction.bind(store);
    store.transaction = (mode, work, options) => transaction(mode, (tx) => work(noting(tx)), options);
    return store;
  };
  return { storage: { ...adapter, open }, asked };
};

for (const store of stores)
  test(`a circuit of a client that is known asks for its sessions and the terminators of the service, and for the revision (${store})`, async () => {
    const { storage, asked } = noted(newStorage(store));
    await using at = await traffic(routed, 'API session', { storage, secretKey: SECRET_KEY });
    await bindBy(at, 'terminator');
    const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
    for (let i = 0; i < 2; i++) assert.ok((await dialBy(at, { token })).isMade);
    await settled(at.router);
    asked.length = 0;
    assert.ok((await dialBy(at, { token })).isMade);
    const questions = asked.filter((each) => each !== 'revision');
    assert.ok(questions.length <= 4, questions.join());
    assert.ok(asked.length - questions.length <= 2, asked.join());
  });
