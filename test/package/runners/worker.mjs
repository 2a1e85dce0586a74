import { ManagementController } from 'overlay-controller';
import { fetchHandler } from 'overlay-controller/http/fetch';
import { memoryStorage } from 'overlay-controller/storage/memory';

let handling;
const open = async () => {
  const controller = await ManagementController.open({
    storage: memoryStorage(),
    administrator: { password: 'a-good-password' },
    // Without optimized code, and on a busy machine, hashing a password may take longer than a call usually waits.
    settings: { address: 'https://overlay.example.com', requestTimeoutMs: 120_000 },
  });
  return fetchHandler(controller);
};

// biome-ignore lint/style/noDefaultExport: the form of a Worker
export default { fetch: async (request) => (await (handling ??= open()))(request) };
