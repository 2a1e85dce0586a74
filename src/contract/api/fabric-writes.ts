/** Bodies and operations that write routers and services in the fabric API: the fields that these have there. */
import * as z from 'zod';
import { type Action, CREATED, EMPTY, type Kind, nounWithArticle, operation, rightTo, tags, textUpTo } from './kit/index.ts';
import { router } from './routers.ts';
import { service, strategy } from './services.ts';
import { boolean, cost, name } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** An id that the caller assigns. */
const givenId = textUpTo(64)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]*$/, 'must consist of letters, digits, and the characters . _ -, and not begin with . or -')
  .meta({
    description: 'Id of the router: 1 to 64 letters, digits, and the characters `.`, `_` and `-`. It does not begin with `.` or `-`.',
  });

const fingerprint = textUpTo(40)
  .regex(/^[0-9a-fA-F]{40}$/, 'must be the SHA-1 of a certificate: 40 hexadecimal digits')
  .transform((value): string => value.toLowerCase());

const routerFields = {
  /** Unique among all routers. */
  name,
  /** SHA-1 in hex of the current certificate: it changes only when the router enrolls. */
  fingerprint: fingerprint.optional(),
  /** Cost of a path through the router, 0 to 65535. */
  cost,
  /** True if the router carries no traffic between other routers. */
  noTraversal: boolean,
  /** True if the router is disabled: it may not connect. Default: false. */
  disabled: boolean.optional(),
  /** User-defined names with values: text, boolean or null. */
  tags: tags.optional(),
};

/** A router to create. */
const routerCreate = z
  .object({
    ...routerFields,
    id: givenId,
    /** SHA-1 in hex of a certificate that this network has issued to the router. Without it, the router has to enroll. */
    fingerprint: fingerprint.optional(),
  })
  .meta({ id: 'FabricRouterCreate' });

/** The fields of a router. */
const routerReplace = z.object(routerFields).meta({ id: 'FabricRouterReplace' });

/** Fields of a router to change. */
const routerPatch = z.object(routerFields).partial().meta({ id: 'FabricRouterPatch' });

const serviceFields = {
  /** Unique among services. */
  name,
  terminatorStrategy: strategy.optional(),
  /** Milliseconds after which an idle connection is closed; 0: never. Default: 0. */
  maxIdleTimeMillis: z.int().optional(),
  /** User-defined names with values: text, boolean or null. */
  tags: tags.optional(),
};

/** A service to create. */
const serviceCreate = z.object(serviceFields).meta({ id: 'FabricServiceCreate' });

/** The fields of a service. */
const serviceReplace = z.object(serviceFields).meta({ id: 'FabricServiceReplace' });

/** Fields of a service to change. */
const servicePatch = z.object(serviceFields).partial().meta({ id: 'FabricServicePatch' });

/** The operations that write a kind in the fabric API, for administrators. */
const writeOperations = <C extends z.ZodType, R extends z.ZodType, P extends z.ZodType>(
  kind: Kind,
  collection: string,
  bodies: { readonly create: C; readonly replace: R; readonly patch: P },
) => {
  const one = nounWithArticle(kind);
  const path = `/${collection}/{id}` as const;
  const body = <S extends z.ZodType>(schema: S) => ({ schema, name: kind.kind });
  const common = (verb: 'create' | 'update' | 'patch' | 'delete', action: Action) => ({
    operationId: `${verb}${kind.names[0]}`,
    permission: rightTo(action, kind),
    acceptedPermissions: [],
    surfaces: [surfaces.fabric],
  });
  return {
    create: operation('POST', `/${collection}`, {
      ...common('create', 'create'),
      summary: `Create ${one}`,
      body: body(bodies.create),
      answer: CREATED,
    }),
    replace: operation('PUT', path, {
      ...common('update', 'update'),
      summary: `Replace the fields of ${one} that this API shows`,
      body: body(bodies.replace),
      answer: EMPTY,
    }),
    patch: operation('PATCH', path, {
      ...common('patch', 'update'),
      summary: `Change the given fields of ${one}`,
      body: body(bodies.patch),
      answer: EMPTY,
    }),
    delete: operation('DELETE', path, { ...common('delete', 'delete'), summary: `Delete ${one}`, answer: EMPTY }),
  };
};

export const routerWrites = writeOperations(router, 'routers', { create: routerCreate, replace: routerReplace, patch: routerPatch });
export const serviceWrites = writeOperations(service, 'services', { create: serviceCreate, replace: serviceReplace, patch: servicePatch });
