/** Fields with credentials: pages show them on demand only, and files leave them out. */
import { isObject } from './json-schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Whoever has one of these can enroll, or prove a certificate authority, in place of its owner. */
const CREDENTIALS: ReadonlySet<string> = new Set(['token', 'jwt', 'enrollmentJwt', 'enrollmentToken', 'verificationToken']);

/** True for a field that contains a credential. */
export const isCredential = (name: string): boolean => CREDENTIALS.has(name);

/** The outstanding enrollments of an identity, by method, without their tokens. */
const enrollmentsWithoutTokens = (enrollment: unknown): object =>
  Object.fromEntries(
    Object.entries(Object(enrollment)).map(([method, each]) => [method, isObject(each) ? withoutCredentials(each) : each] as const),
  );

/** The fields of an entity without links and credentials. */
export const withoutCredentials = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      name === '_links' || isCredential(name) ? [] : [[name, name === 'enrollment' ? enrollmentsWithoutTokens(value) : value] as const],
    ),
  );
