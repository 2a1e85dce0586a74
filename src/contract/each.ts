import { filter } from '../query/filter-text.ts';
import type { Page } from './api/kit/operation.ts';

interface ListInput {
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit?: number | string | undefined;
  readonly offset?: number | string | undefined;
}

/** Maximum number of entities in a page. */
const PAGE_SIZE = 500;

/**
 * Iterates over all entities of a list, page by page, with `controller.api` or a client. Without `sort`, it pages by id: entities that
 * exist throughout the iteration are neither missed nor repeated, even under concurrent writes. With `sort`, it pages by offset, so that
 * concurrent writes may cause entities to be missed or repeated.
 *
 * ```ts
 * for await (const { name } of each(controller.api.identities.list, { filter: 'isAdmin = true' })) console.log(name);
 * ```
 * @param input the input of the list; its filter must not contain `sort by`, `skip` or `limit`
 */
export async function* each<I extends ListInput, T extends { readonly id: string }>(
  list: (input: I) => Promise<Page<T>>,
  input: Omit<I, 'limit' | 'offset'> & ListInput = {} as I, // all parameters of a list are optional
): AsyncGenerator<T, void, undefined> {
  let after: string | undefined;
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const page = input.sort === undefined ? { filter: filterAfter(after, input.filter), sort: 'id' } : { offset };
    const { data } = await list({ ...input, ...page, limit: PAGE_SIZE } as I); // the same parameters, except for order and paging
    yield* data;
    if (data.length < PAGE_SIZE) return;
    after = data.at(-1)?.id;
  }
}

const filterAfter = (id: string | undefined, condition: string | undefined): string | undefined => {
  if (id === undefined) return condition;
  const after = filter`id > ${id}`;
  return condition === undefined ? after : `${after} and (${condition})`;
};
