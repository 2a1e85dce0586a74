import { createClient, each } from '../client/index.ts';

const { CONTROLLER_URL = 'https://127.0.0.1:1280', ADMIN_PASSWORD = '' } = process.env;
const client = createClient({ baseUrl: CONTROLLER_URL, credentials: { username: 'admin', password: ADMIN_PASSWORD } });

await client.identities.create({ body: { name: 'bob', type: 'User', isAdmin: false } });
for await (const { name, isAdmin } of each(client.identities.list, { filter: 'type = "Default"' })) console.log(name, isAdmin);
