import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { nodePlatform, snapshotFolder } from '../adapters/platform/node.ts';
import { sqliteStorage } from '../adapters/storage/kysely/index.ts';
import { ManagementController, newSecretKey, restoreSnapshot } from '../src/index.ts';

const options = { secretKey: newSecretKey(), platform: nodePlatform(), snapshots: snapshotFolder('snapshots') };
const controller = await ManagementController.open({ ...options, storage: sqliteStorage({ file: 'controller.db' }) });
await controller.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
await controller.database.createSnapshot();
await controller.close();

const [name] = await readdir('snapshots');
const storage = sqliteStorage({ file: 'restored.db' });
await restoreSnapshot({ storage, snapshot: createReadStream(`snapshots/${name}`) });

const restored = await ManagementController.open({ ...options, storage });
await restored.database.checkIntegrity();
while ((await restored.database.getIntegrityResults()).inProgress) await new Promise((resolve) => setTimeout(resolve, 100));
console.log((await restored.database.getIntegrityResults()).results);
console.log((await restored.identities.list({ filter: 'name = "ann"' })).pagination.totalCount);
await restored.close();
