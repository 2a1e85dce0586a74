/**
 * An internal portal where people enroll their own devices: Fastify, PostgreSQL, and the company's single sign-on. It runs behind a TLS
 * proxy, because devices enroll only over TLS.
 *
 *     DATABASE_URL=postgres://... SECRET_KEY=... ISSUER=https://sso.example.com WEBHOOK=https://crm.example.com/hook \
 *       ADDRESS=https://portal.example.com node examples/portal/main.ts
 */
import pg from 'pg';
import { openPortal } from './open.ts';

const { DATABASE_URL = '', SECRET_KEY = '', ISSUER = '', WEBHOOK = '', PORT = '3000', ADDRESS = '' } = process.env;

const pool = new pg.Pool({ connectionString: DATABASE_URL });
const portal = await openPortal({ pool, secretKey: SECRET_KEY, issuer: ISSUER, webhook: WEBHOOK, address: ADDRESS });
console.log(`listening on ${await portal.app.listen({ port: Number(PORT), host: '127.0.0.1' })}`);
process.once('SIGTERM', () => portal.close().finally(() => pool.end()));
