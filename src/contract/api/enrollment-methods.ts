import * as z from 'zod';
import { entityReference, string, timestamp } from './kit/index.ts';
import { boolean, shortText, username } from './shared.ts';

const outstanding = {
  /** Id of the enrollment. */
  id: string,
  /** The token to enroll with. */
  token: string,
  /** The token as a JWT, which also contains the address to enroll at. */
  jwt: string.optional(),
  /** When the enrollment expires. */
  expiresAt: timestamp,
};

/** An enrollment method for identities. */
interface IdentityMethod {
  /** The field that an enrollment of this method requires; other methods ignore it. */
  readonly needs?: 'caId' | 'username';
  /** Schema of the member that requests the method in the body that creates an identity: the value of the field `needs`, or a boolean. */
  readonly request: z.ZodType;
  /** Schema of an outstanding enrollment in the details of an identity. */
  readonly outstanding: z.ZodObject;
}

const identityMethods = {
  /** The network issues a certificate. */
  ott: { request: boolean.nullish(), outstanding: z.object(outstanding) },
  /** The identity uses its certificate of a known CA; requested with the id of the CA. */
  ottca: {
    needs: 'caId',
    request: shortText.nullish().meta({ description: 'Id of a certificate authority.', 'x-refers-to': { collection: 'cas', by: 'id' } }),
    outstanding: z.object({
      ...outstanding,
      /** Reference to the authority whose certificates are accepted. */
      ca: entityReference,
      /** Id of the authority whose certificates are accepted. */
      caId: string,
    }),
  },
  /** The identity sets a password; requested with the username. */
  updb: { needs: 'username', request: username.nullish(), outstanding: z.object(outstanding) },
} as const satisfies Readonly<Record<string, IdentityMethod>>;

type IdentityMethods = typeof identityMethods;
export type IdentityMethodName = keyof IdentityMethods;

/** One property of each method, by name of the method. */
const column = <C extends 'request' | 'outstanding'>(name: C) =>
  Object.fromEntries(Object.entries(identityMethods).map(([method, row]) => [method, row[name]])) as {
    readonly [M in keyof IdentityMethods]: IdentityMethods[M][C];
  }; // each method keeps its schema

/** The enrollment method of the new identity. If several methods are set, the first takes effect. */
export const enrollmentRequest = z.object(column('request')).meta({ id: 'IdentityEnrollmentRequest' });

/** Enrollments that the identity may still use, by method. */
export const outstandingEnrollments = z.object(column('outstanding')).partial().meta({ id: 'IdentityEnrollments' });

/** The methods that an administrator may request. */
export const requestableMethod = z.enum(Object.keys(identityMethods) as IdentityMethodName[]); // the keys of the table

/** All methods. Enrollments of routers (`erott`, `trott`) cannot be requested: they are created together with the router. */
export const enrollmentMethod = z.enum([...requestableMethod.options, 'erott', 'trott']);
export type EnrollmentMethodName = z.infer<typeof enrollmentMethod>;

/** The field that an enrollment of a method requires. */
export const neededBy = (method: IdentityMethodName): IdentityMethod['needs'] => {
  const row: IdentityMethod = identityMethods[method];
  return row.needs;
};

/** The fields of an outstanding enrollment in the details of its identity. */
export const outstandingFieldsOf = (method: IdentityMethodName): readonly string[] =>
  Object.keys(identityMethods[method].outstanding.shape);
