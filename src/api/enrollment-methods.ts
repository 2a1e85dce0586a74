import * as z from 'zod';
import { entityReference, string, timestamp } from './kit/index.ts';
import { boolean, shortText, username } from './shared.ts';

const outstanding = {
  /** Id of the enrollment. */
  id: string,
  /** The token to enroll with. */
  token: string,
  /** The token as a JWT, which also says where to enroll. */
  jwt: string.optional(),
  /** When the enrollment ends. */
  expiresAt: timestamp,
};

/** A method by which identities enroll: administrators request it. */
interface IdentityMethod {
  /** The field that an enrollment of this method requires; other methods ignore it. */
  readonly needs?: 'caId' | 'username';
  /** How a body that creates an identity requests it: by the value of `needs`, or by a boolean. */
  readonly request: z.ZodType;
  /** An enrollment that the identity may still use, in the details of the identity. */
  readonly outstanding: z.ZodObject;
}

const identityMethods = {
  /** By a certificate of the network. */
  ott: { request: boolean.nullish(), outstanding: z.object(outstanding) },
  /** With a certificate of a known CA; requested by the CA's id. */
  ottca: {
    needs: 'caId',
    request: shortText.nullish().meta({ description: 'Id of a certificate authority.' }),
    outstanding: z.object({
      ...outstanding,
      /** Reference to the authority whose certificates are accepted. */
      ca: entityReference,
      /** Id of the authority whose certificates are accepted. */
      caId: string,
    }),
  },
  /** With a username and password; requested by the username. */
  updb: { needs: 'username', request: username.nullish(), outstanding: z.object(outstanding) },
} as const satisfies Readonly<Record<string, IdentityMethod>>;

type IdentityMethods = typeof identityMethods;
export type IdentityMethodName = keyof IdentityMethods;

/** One property of every method, by method. */
const column = <C extends 'request' | 'outstanding'>(name: C) =>
  Object.fromEntries(Object.entries(identityMethods).map(([method, row]) => [method, row[name]])) as {
    readonly [M in keyof IdentityMethods]: IdentityMethods[M][C];
  }; // row by row

/** How the new identity is to prove itself; the first of the methods that is set takes effect. */
export const enrollmentRequest = z.object(column('request')).meta({ id: 'IdentityEnrollmentRequest' });

/** Enrollments that the identity may still use, by method. */
export const outstandingEnrollments = z.object(column('outstanding')).partial().meta({ id: 'IdentityEnrollments' });

/** The methods that an administrator may request. */
export const requestableMethod = z.enum(Object.keys(identityMethods) as IdentityMethodName[]); // the keys of the table

/** Edge routers and routers get theirs when they are created. */
export const enrollmentMethod = z.enum([...requestableMethod.options, 'erott', 'trott']);
export type EnrollmentMethodName = z.infer<typeof enrollmentMethod>;

/** The field that an enrollment of a method requires. */
export const neededBy = (method: IdentityMethodName): IdentityMethod['needs'] => {
  const row: IdentityMethod = identityMethods[method];
  return row.needs;
};

/** An outstanding enrollment as the details of its identity show it. */
export const outstandingFieldsOf = (method: IdentityMethodName): readonly string[] =>
  Object.keys(identityMethods[method].outstanding.shape);
