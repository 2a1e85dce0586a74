import { bool, type Fields, json, time } from './field.ts';

/** The fields of all entities, except for enrollments. */
export const common = { createdAt: time(), updatedAt: time(), tags: json(), isSystem: bool() } satisfies Fields;
