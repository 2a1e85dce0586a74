import { bool, type Fields, json, time } from './field.ts';

/** What all entities have, except for enrollments. */
export const common = { createdAt: time(), updatedAt: time(), tags: json(), isSystem: bool() } satisfies Fields;
