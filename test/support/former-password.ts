import { hashRaw } from '@node-rs/argon2';

const SALT = Buffer.from('0123456789');

/** As the former controller keeps a password. */
export const formerPassword = async (password: string) => ({
  updbSalt: SALT.toString('base64'),
  updbPassword: (
    await hashRaw(password, { algorithm: 2, memoryCost: 3072, timeCost: 1, parallelism: 4, outputLen: 32, salt: SALT })
  ).toString('base64'),
});
