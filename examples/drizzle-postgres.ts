/** Calls operations in Drizzle transactions on PostgreSQL, together with writes to a table of the application. */
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { ManagementController, newSecretKey } from '../adapters/node/index.ts';
import { drizzleTransactions } from '../adapters/storage/drizzle.ts';
import { postgresStorage } from '../adapters/storage/kysely/index.ts';

const { DATABASE_URL = '', SECRET_KEY = newSecretKey() } = process.env;

const pool = new pg.Pool({ connectionString: DATABASE_URL });
const db = drizzle(pool);
const customers = pgTable('customers', { id: text('id').primaryKey(), name: text('name').unique() });
await db.execute('create table if not exists customers (id text primary key, name text unique)');

const controller = await ManagementController.open({
  storage: postgresStorage({ pool, hostTransactions: drizzleTransactions }), // shares the pool
  secretKey: SECRET_KEY,
  settings: { address: 'https://overlay.example.com' },
});

const addCustomer = (identity: string, name: string) =>
  db.transaction(async (transaction) => {
    const { id } = await controller.api.identities.create({ body: { name: identity, type: 'User', isAdmin: false } }, { transaction });
    await transaction.insert(customers).values({ id, name });
  });

await addCustomer('ann', 'Ann');
await addCustomer('bob', 'Ann').catch(() => console.log('refused')); // the name is taken: the identity is rolled back, too
await controller.publish();

const { data } = await controller.api.identities.list({ filter: 'isAdmin = false sort by name' });
console.log(`identities: ${data.map(({ name }) => name).join()}; customers: ${(await db.select().from(customers)).length}`);

await controller.close();
await pool.end();
