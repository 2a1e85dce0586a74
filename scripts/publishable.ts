/** Refuses to publish the package while its addresses are placeholders (`npm publish` runs it): the owner enters those of the repository. */
import manifest from '../package.json' with { type: 'json' };

const { homepage, repository, bugs } = manifest;

/** Names below `.example` are reserved (RFC 2606). */
const isPlaceholder = (address: string): boolean => new URL(address.replace(/^git\+/, '')).hostname.endsWith('.example');

const placeholders = Object.entries({ homepage, 'repository.url': repository.url, bugs }).filter(([, address]) => isPlaceholder(address));
for (const [field, address] of placeholders) console.error(`package.json: ${field} is the placeholder ${address}`);
if (placeholders.length > 0) process.exitCode = 1;
