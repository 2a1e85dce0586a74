import { ManagementController } from '../adapters/node/index.ts';
import { memoryStorage } from '../adapters/storage/memory/index.ts';

const controller = await ManagementController.open({
  storage: memoryStorage(),
  settings: { address: 'https://127.0.0.1:1280' }, // the address at which clients would reach the controller
});
const { identities } = controller.api;
controller.events.on('identity', ({ action, after }) => console.log(action, after?.name));

await identities.create({ body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['sales'] } });
await identities.create({ body: { name: 'printer', type: 'Device', isAdmin: false } });

const { data } = await identities.list({ filter: 'anyOf(roleAttributes) = "sales" sort by name' });
for (const { id, name, roleAttributes } of data) console.log(id, name, roleAttributes);

await controller.close();
