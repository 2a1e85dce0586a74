/**
 * Run by `npm publish`: fails while the addresses in package.json are placeholders, which the owner has to replace with those of the
 * repository.
 */
import manifest from '../package.json' with { type: 'json' };

const { homepage, repository, bugs } = manifest;

/** The top-level domain `.example` is reserved (RFC 2606). */
const isPlaceholder = (address: string): boolean => new URL(address.replace(/^git\+/, '')).hostname.endsWith('.example');

const placeholders = Object.entries({ homepage, 'repository.url': repository.url, bugs }).filter(([, address]) => isPlaceholder(address));
for (const [field, address] of placeholders) console.error(`package.json: ${field} is the placeholder ${address}`);
if (placeholders.length > 0) process.exitCode = 1;
