/** Uses the core as a host on any runtime would, with nothing but what web standards give. Plain JavaScript: the package that it imports is only there when it is packed. */
import { ManagementController } from 'overlay-controller';
import { fetchHandler } from 'overlay-controller/http/fetch';
import { memoryStorage } from 'overlay-controller/storage/memory';

const controller = await ManagementController.open({
  storage: memoryStorage(),
  administrator: { password: 'portable' },
  settings: { address: 'https://controller.test' },
});
const handler = fetchHandler(controller);
const ask = async (method, path, body, token) => {
  const headers = { 'content-type': 'application/json', ...(token ? { 'zt-session': token } : {}) };
  const address = `https://controller.test/edge/management/v1${path}`;
  const response = await handler(new Request(address, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }));
  return response.json();
};
const { token } = (await ask('POST', '/authenticate?method=password', { username: 'admin', password: 'portable' })).data;
await ask('POST', '/identities', { name: 'ann', type: 'User', isAdmin: false }, token);
const { data } = await ask('GET', `/identities?filter=${encodeURIComponent('name = "ann"')}`, undefined, token);
console.log('found', data[0].name);
// JSON Schemas are read without making code of them.
const name = encodeURIComponent('name = "host.v1"');
const [{ id: configTypeId }] = (await ask('GET', `/config-types?filter=${name}`, undefined, token)).data;
const config = { protocol: 'tcp', address: 'localhost', port: 80 };
await ask('POST', '/configs', { name: 'good', configTypeId, data: config }, token);
const bad = await ask('POST', '/configs', { name: 'bad', configTypeId, data: { ...config, port: 'x' } }, token);
const own = await ask('POST', '/config-types', { name: 'own', schema: { type: 'object', properties: { a: { type: 'integer' } } } }, token);
console.log('configs', (await ask('GET', '/configs', undefined, token)).data.length, bad.error.code, own.data.id.length);
await controller.close();
