import express from 'express';
import { expressHandler } from '../adapters/http/express.ts';
import { ManagementController } from '../adapters/node/index.ts';
import { postgresStorage } from '../adapters/storage/kysely/index.ts';

const { DATABASE_URL = '', SECRET_KEY = '', ADMIN_PASSWORD = '', PORT = '3000', ADDRESS = `http://localhost:${PORT}` } = process.env;

const controller = await ManagementController.open({
  storage: postgresStorage({ connectionString: DATABASE_URL }),
  secretKey: SECRET_KEY, // encrypts private keys and other secrets in the database
  administrator: { password: ADMIN_PASSWORD }, // for a new network; has no effect later
  settings: { address: ADDRESS }, // the address at which clients reach the controller; devices require https
});

const app = express();
app.use('/overlay', expressHandler(controller)); // before body parsers
app.get('/people', async (_, response) => {
  const { data } = await controller.api.identities.list({ filter: 'isAdmin = false sort by name' });
  response.json(data.map(({ name }) => name));
});

const server = app.listen(Number(PORT), () => console.log(`listening on http://localhost:${PORT}`));
process.once('SIGTERM', () => server.close(() => controller.close()));
