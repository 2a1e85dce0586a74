import { catalogueFields } from './catalogue.ts';
import { directoryFields } from './directory.ts';
import { fabricFields } from './fabric.ts';
import type { Fields } from './field.ts';

/**
 * Every kind of entity of the former database with all its fields, for schema versions 38 to 44 and releases 1.6.0 to 2.0.x. The names are
 * those in the database. What the database has and no field declares is reported as `unknown`.
 */
export const FORMER_FIELDS = { ...directoryFields, ...catalogueFields, ...fabricFields } as const satisfies Readonly<
  Record<string, Fields>
>;
