import type * as z from 'zod';
import type { ErrorCode } from '../../errors/catalog.ts';
import type { Surface } from '../surfaces/surface.ts';
import type { created } from './entity.ts';
import type { Fields } from './field.ts';
import { type ListQuery, listQuery, roleListQuery } from './list-query.ts';
import { nounsOf, nounWithArticle } from './nouns.ts';
import { CREATED, data, EMPTY, type Operation, operation, type Page, page } from './operation.ts';
import { writeErrors } from './refusals.ts';
import type { Resource } from './resource.ts';
import type { CreateBody, Detail, PatchBody, ReplaceBody } from './resource-shapes.ts';
import { type Action, rightTo } from './right.ts';

export type CrudVerb = 'list' | 'get' | 'create' | 'replace' | 'patch' | 'delete';

export interface CrudOptions<Except extends CrudVerb> {
  readonly except?: readonly Except[];
  /** Default: the kind's collection. */
  readonly path?: `/${string}`;
  /** Singular and plural in operation names; default: the kind's. */
  readonly names?: readonly [singular: string, plural: string];
  /** Published operation names that differ from the regular ones. */
  readonly operationIds?: Partial<Record<CrudVerb, string>>;
  readonly errors?: Partial<Record<CrudVerb, readonly ErrorCode[]>>;
  /** See `Operation.acceptedPermissions`. */
  readonly acceptedPermissions?: NonNullable<Operation['acceptedPermissions']>;
  /** See `Operation.everySession`. */
  readonly everySession?: NonNullable<Operation['everySession']>;
  /** See `Operation.presentOnly`. */
  readonly presentOnly?: true;
  /** See `Operation.denied`. */
  readonly denied?: Partial<Record<CrudVerb, 403>>;
  /** See `Operation.standalone`. */
  readonly standalone?: Partial<Record<CrudVerb, string>>;
  /** See `Operation.surfaces`. */
  readonly surfaces?: readonly Surface[];
}

type ListInput = z.input<typeof listQuery>;
type RoleListInput = z.input<typeof roleListQuery>;
type Id = { readonly id: string };
type Created = z.infer<typeof created>;
type Empty = Record<string, never>;

export interface CrudOperations<F extends Fields> {
  readonly list: Operation<
    'roleAttributes' extends keyof F ? RoleListInput : ListInput,
    Page<Detail<F>>,
    'roleAttributes' extends keyof F ? z.output<typeof roleListQuery> : ListQuery
  >;
  readonly get: Operation<Id, Detail<F>>;
  readonly create: Operation<{ readonly body: CreateBody<F> }, Created>;
  readonly replace: Operation<Id & { readonly body: ReplaceBody<F> }, Empty>;
  readonly patch: Operation<Id & { readonly body: PatchBody<F> }, Empty>;
  readonly delete: Operation<Id, Empty>;
}

/** The six standard operations of a kind, except those excluded. */
export const crud = <F extends Fields, Except extends CrudVerb = never>(
  kind: Resource<string, F>,
  options: CrudOptions<Except> = {},
): Omit<CrudOperations<F>, Except> => {
  const { except = [], path = `/${kind.collection}`, names = kind.names } = options;
  const [singular, plural] = names;
  const one = nounWithArticle(kind);
  const body = (schema: z.ZodType) => ({ schema, name: kind.bodyName ?? kind.kind });
  const common = (verb: CrudVerb, operationId: string, action: Action, summary: string) => ({
    operationId,
    summary,
    permission: rightTo(action, kind),
    ...optionsOf(kind, verb, options),
  });
  const all = {
    list: operation('GET', path, {
      ...common('list', `list${plural}`, 'read', `List ${nounsOf(kind)[1]}`),
      query: kind.fields.roleAttributes ? roleListQuery : listQuery,
      answer: page(kind.schemas.detail),
    }),
    get: operation('GET', `${path}/{id}`, {
      ...common('get', `detail${singular}`, 'read', `Get ${one}`),
      answer: data(kind.schemas.detail),
    }),
    create: operation('POST', path, {
      ...common('create', `create${singular}`, 'create', `Create ${one}`),
      body: body(kind.schemas.create),
      answer: CREATED,
    }),
    replace: operation('PUT', `${path}/{id}`, {
      ...common('replace', `update${singular}`, 'update', `Replace all fields of ${one}`),
      body: body(kind.schemas.replace),
      answer: EMPTY,
    }),
    patch: operation('PATCH', `${path}/{id}`, {
      ...common('patch', `patch${singular}`, 'update', `Change the given fields of ${one}`),
      body: body(kind.schemas.patch),
      answer: EMPTY,
    }),
    delete: operation('DELETE', `${path}/{id}`, {
      ...common('delete', `delete${singular}`, 'delete', `Delete ${one}`),
      answer: EMPTY,
    }),
  };
  const included = Object.entries(all).filter(([verb]) => !(except as readonly string[]).includes(verb));
  // All schemas are the kind's, so the entries have the types of CrudOperations<F>.
  return Object.fromEntries(included) as Omit<CrudOperations<F>, Except>;
};

/** The members of an operation that its kind and the options determine. */
const optionsOf = <F extends Fields>(kind: Resource<string, F>, verb: CrudVerb, options: CrudOptions<CrudVerb>) => {
  const { operationIds, errors, denied, standalone, acceptedPermissions, everySession, presentOnly, surfaces } = options;
  const isWrite = verb !== 'list' && verb !== 'get';
  const codes = [...(errors?.[verb] ?? []), ...(isWrite ? writeErrors(verb, kind.fields) : [])];
  // Writes to an unrecorded kind draw no revision, so its version is meaningless.
  const hasVersion = verb !== 'list' && verb !== 'create' && !kind.unrecorded;
  return {
    ...(operationIds?.[verb] ? { operationId: operationIds[verb] } : {}),
    ...(acceptedPermissions === undefined ? {} : { acceptedPermissions }),
    ...(everySession ? { everySession } : {}),
    ...(presentOnly ? { presentOnly } : {}),
    ...(surfaces ? { surfaces } : {}),
    ...(hasVersion ? { entity: kind as Pick<Resource, 'kind' | 'view'> } : {}),
    ...(codes.length > 0 ? { errors: codes } : {}),
    ...(denied?.[verb] ? { denied: denied[verb] } : {}),
    ...(standalone?.[verb] ? { standalone: standalone[verb] } : {}),
  };
};
