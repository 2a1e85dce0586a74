/** The migrations in order. Written by `scripts/migration.ts`. */
import type { Migration } from '../migration.ts';
import { migration as m0001 } from './0001-initial.ts';

export const migrations: readonly Migration[] = [m0001];
