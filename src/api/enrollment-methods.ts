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

/** An enrollment method for identities, which administrators request. */
interface IdentityMethod {
  /** The field that an enrollment of this method requires; other methods ignore it. */
  readonly needs?: 'caId' | 'username';
  /** How the body that creates an identity requests the method: with the value of the field `needs`, or with a boolean. */
  readonly request: z.ZodType;
  /** How the details of the identity show an enrollment that it may still use. */
  readonly outstanding: z.ZodObject;
}

const identityMethods = {
  /** The network issues a certificate. */
  ott: { request: boolean.nullish(), outstanding: z.object(outstanding) },
  /** The identity uses its certificate of a known CA; requested by the CA's id. */
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
  /** The identity sets a password; requested by the username. */
  updb: { needs: 'username', request: username.nullish(), outstanding: z.object(outstanding) },
} as const satisfies Readonly<Record<string, IdentityMethod>>;

type IdentityMethods = typeof identityMethods;
export type IdentityMethodName = keyof IdentityMethods;

/** One property of every method, by method. */
const column = <C extends 'request' | 'outstanding'>(name: C) =>
  Object.fromEntries(Object.entries(identityMethods).map(([method, row]) => [method, row[name]])) as {
    readonly [M in keyof IdentityMethods]: IdentityMethods[M][C];
  }; // each method keeps its schema

/** How the new identity will enroll. If several methods are set, the first takes effect. */
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
