/**
 * Seals a network anew, and stands still within one of its transactions: `node reseal-worker.ts <file> <new key> <old key> <transaction>`.
 */
import { writeSync } from 'node:fs';
import { sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import { ManagementController } from '../../../src/index.ts';
import type { StorageAdapter } from '../../../src/store/storage/port.ts';

const [, , file = '', newKey = '', oldKey = '', last = ''] = process.argv;
let left = Number.POSITIVE_INFINITY;
const adapter = sqliteStorage({ file, synchronous: 'NORMAL' });
const storage: StorageAdapter = {
  ...adapter,
  open: async (schema) => {
    const opened = await adapter.open(schema);
    const transaction = opened.transaction.bind(opened);
    return Object.assign(opened, {
      transaction: ((mode, work, options) =>
        transaction(
          mode,
          async (tx) => {
            const result = await work(tx);
            if (mode === 'read' || left-- > 0) return result;
            writeSync(1, 'standing still\n');
            return new Promise<never>(() => setInterval(() => undefined, 1000));
          },
          options,
        )) as typeof transaction,
    });
  },
};
const controller = await ManagementController.open({
  storage,
  secretKey: [newKey, oldKey],
  settings: { address: 'https://127.0.0.1:1280' },
});
left = Number(last);
await controller.reseal();
writeSync(1, 'done\n');
await controller.close();
