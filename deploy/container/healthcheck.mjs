/** Exits with 0 if the server in this container is ready (`--health`), and with 1 otherwise. */
const isPlain = process.env.OVERLAY_TLS === 'off';
const { get } = await import(isPlain ? 'node:http' : 'node:https');
// The certificate covers the name by which clients reach the server, not this address. Nothing but a status is read.
const options = { host: '127.0.0.1', port: process.env.OVERLAY_PORT ?? 1280, path: '/ready', timeout: 4000, rejectUnauthorized: false };
const request = get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
request.on('timeout', () => request.destroy());
request.on('error', () => process.exit(1));
