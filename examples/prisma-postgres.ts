/**
 * Calls operations in Prisma transactions on PostgreSQL. For the tests, a client without models replaces the one that `prisma generate`
 * creates.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import { ManagementController, newSecretKey } from '../adapters/node/index.ts';
import { postgresStorage } from '../adapters/storage/kysely/index.ts';
import { prismaTransactions } from '../adapters/storage/prisma.ts';
import { prismaClientFor } from '../test/support/prisma.ts'; // yours: import { PrismaClient } from './generated/prisma/client.ts'

const { DATABASE_URL = '', SECRET_KEY = newSecretKey() } = process.env;

const PrismaClient = prismaClientFor('postgresql');
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: DATABASE_URL }) });
await prisma.$executeRawUnsafe('create table if not exists customers (id text primary key, name text unique)');

const controller = await ManagementController.open({
  storage: postgresStorage({ connectionString: DATABASE_URL, hostTransactions: prismaTransactions }),
  secretKey: SECRET_KEY,
  settings: { address: 'https://overlay.example.com' },
});

const addCustomer = (identity: string, name: string) =>
  prisma.$transaction(
    async (transaction) => {
      const { id } = await controller.api.identities.create({ body: { name: identity, type: 'User', isAdmin: false } }, { transaction });
      await transaction.$executeRawUnsafe('insert into customers (id, name) values ($1, $2)', id, name);
    },
    { timeout: 10_000 },
  );

await addCustomer('ann', 'Ann');
await addCustomer('bob', 'Ann').catch(() => console.log('refused')); // the name is taken: the identity is rolled back, too
await controller.publish();

const { data } = await controller.api.identities.list({ filter: 'isAdmin = false sort by name' });
const customers = await prisma.$queryRawUnsafe<readonly unknown[]>('select id from customers');
console.log(`identities: ${data.map(({ name }) => name).join()}; customers: ${customers.length}`);

await controller.close();
await prisma.$disconnect();
