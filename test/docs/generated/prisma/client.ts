/** What `prisma generate` writes into the folder of a reader of the guides. */
import { prismaClientFor } from '../../../support/prisma.ts';

export const PrismaClient = prismaClientFor('sqlite');
