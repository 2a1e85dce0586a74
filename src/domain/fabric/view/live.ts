import type { ListQuery } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../entities/entities.ts';
import { notFound } from '../../../errors/index.ts';
import type { Document, Symbols } from '../../../query/index.ts';
import { pageInMemory } from '../../../resources/in-memory.ts';

type Id = { readonly id: string };

/** Entities that are in memory and in no table. */
export interface LiveKind<L extends Id, D extends Document, T> {
  /** Its name in refusals. */
  readonly kind: string;
  readonly symbols: Symbols;
  all(core: Core): readonly L[];
  /** As filters see it. */
  document(live: L): D;
  show(entities: Entities, documents: readonly D[]): Promise<readonly T[]>;
  /** @returns whether it was there */
  end(core: Core, id: string): boolean;
}

/** Reads and ends them. The store is asked for names only, and only for those of a page. */
export const liveHandlers = <L extends Id, D extends Document, T>({ kind, symbols, all, document, show, end }: LiveKind<L, D, T>) => ({
  list: (call: Call, query: ListQuery) =>
    call.read(async (entities) => {
      const page = pageInMemory(call, symbols, query, all(call.core).map(document));
      return { ...page, data: await show(entities, page.data) };
    }),
  get: (call: Call, { id }: Id) =>
    call.read(async (entities) => {
      const live = all(call.core).find((each) => each.id === id);
      const [shown] = live ? await show(entities, [document(live)]) : [];
      if (!shown) throw notFound(kind, id);
      return shown;
    }),
  delete: async (call: Call, { id }: Id) => {
    if (!end(call.core, id)) throw notFound(kind, id);
    return {};
  },
});
