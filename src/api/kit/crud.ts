import type * as z from 'zod';
import type { ErrorCode } from '../../errors/catalog.ts';
import type { Surface } from '../surfaces/surface.ts';
import type { created } from './entity.ts';
import type { Fields } from './field.ts';
import { type ListQuery, listQuery, roleListQuery } from './list-query.ts';
import { nounsOf, nounWithArticle } from './nouns.ts';
import { CREATED, data, EMPTY, type Operation, operation, type Page, page } from './operation.ts';
import { writeErrors } from './refusals.ts';
import type { CreateBody, Detail, PatchBody, ReplaceBody, Resource } from './resource.ts';
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
  /** See `Operation.grantable`. */
  readonly grantable?: NonNullable<Operation['grantable']>;
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
  {
    except = [],
    path = `/${kind.collection}`,
    names: [singular, plural] = kind.names,
    operationIds = {},
    errors = {},
    denied = {},
    standalone = {},
    grantable,
    everySession,
    presentOnly,
    surfaces,
  }: CrudOptions<Except> = {},
): Omit<CrudOperations<F>, Except> => {
  const bodyName = kind.bodyName ?? kind.kind;
  const one = nounWithArticle(kind);
  const [, many] = nounsOf(kind);
  const common = (verb: CrudVerb, regular: string, right: Action, summary: string) => ({
    operationId: operationIds[verb] ?? regular,
    summary,
    permission: rightTo(right, kind),
    ...(grantable === undefined ? {} : { grantable }),
    ...(everySession ? { everySession } : {}),
    ...(presentOnly ? { presentOnly } : {}),
    ...(surfaces ? { surfaces } : {}),
    // Writes to an unrecorded kind draw no revision, so its version is meaningless.
    ...(verb === 'list' || verb === 'create' || kind.unrecorded ? {} : { entity: kind as Pick<Resource, 'kind' | 'view'> }),
    ...errorsOf(verb),
    ...(denied[verb] ? { denied: denied[verb] } : {}),
    ...(standalone[verb] ? { standalone: standalone[verb] } : {}),
  });
  const errorsOf = (verb: CrudVerb): { readonly errors?: readonly ErrorCode[] } => {
    const declared = errors[verb] ?? [];
    const all = verb === 'list' || verb === 'get' ? declared : [...declared, ...writeErrors(verb, kind.fields)];
    return all.length > 0 ? { errors: all } : {};
  };
  const all = {
    list: operation('GET', path, {
      ...common('list', `list${plural}`, 'read', `List ${many}`),
      query: kind.fields.roleAttributes ? roleListQuery : listQuery,
      answer: page(kind.schemas.detail),
    }),
    get: operation('GET', `${path}/{id}`, {
      ...common('get', `detail${singular}`, 'read', `Get ${one}`),
      answer: data(kind.schemas.detail),
    }),
    create: operation('POST', path, {
      ...common('create', `create${singular}`, 'create', `Create ${one}`),
      body: { schema: kind.schemas.create, name: bodyName },
      answer: CREATED,
    }),
    replace: operation('PUT', `${path}/{id}`, {
      ...common('replace', `update${singular}`, 'update', `Replace all fields of ${one}`),
      body: { schema: kind.schemas.replace, name: bodyName },
      answer: EMPTY,
    }),
    patch: operation('PATCH', `${path}/{id}`, {
      ...common('patch', `patch${singular}`, 'update', `Change the given fields of ${one}`),
      body: { schema: kind.schemas.patch, name: bodyName },
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
