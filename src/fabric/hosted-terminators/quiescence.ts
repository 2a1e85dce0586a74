/** Quiesced routers: their terminators are the last choice of new circuits, until the operator of the router ends that. */

import type { Core } from '../../call/core.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { router } from '../../contract/api/routers.ts';
import { terminator } from '../../contract/api/terminators.ts';
import { and, equals, idAfter, oneOf, stringField } from '../../query/index.ts';
import { inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { forRouters } from '../registry/fabric.ts';
import { countChange } from './bind.ts';
import type { TerminatorDependencies } from './hosted-terminators.ts';
import { requiredPrecedences } from './precedence.ts';

type Row = RowOf<typeof terminator>;

/** Numbers of terminators that are read, and that are changed in a transaction, at a time. */
const PAGE = 500;
const BATCH = 25;
/** The price of a change of the router, in characters of change records: it may change four times per minute, and 64 times at once. */
const PRICE = 262_144;

/**
 * Quiesces a router, or ends that. Terminators are changed in small transactions, so that other writes are not delayed; if this fails
 * halfway, the router may ask again.
 * @throws TooManyChanges
 */
export const setQuiesced = async (
  { fabric: { core }, rate }: Pick<TerminatorDependencies, 'rate'> & { readonly fabric: { readonly core: Pick<Core, 'background'> } },
  routerId: string,
  isQuiesced: boolean,
): Promise<void> => {
  // First, so that terminators that are created from now on have the precedence that applies.
  await forRouters(core, (job) =>
    job.write(async (entities) => {
      const row = await entities.require(router, routerId);
      if ((row.isQuiesced ?? false) === isQuiesced) return;
      countChange(rate, routerId, PRICE);
      await entities.update(router, row, { isQuiesced });
    }),
  );
  const ofRouter = equals(stringField('routerId'), routerId);
  const changeAll = (ids: readonly string[]) =>
    forRouters(core, (job) =>
      job.write(async (entities) => {
        // Another request may have overtaken this one, over a later connection or at another controller.
        if (((await entities.require(router, routerId)).isQuiesced ?? false) !== isQuiesced) return;
        for (const row of await entities.list(terminator, { where: and(ofRouter, oneOf(stringField('id'), ids)) })) {
          const change = requiredPrecedences(isQuiesced, row);
          if (!change) continue;
          countChange(rate, routerId, JSON.stringify(row).length);
          await entities.update(terminator, row, change);
        }
      }),
    );
  for (let last: string | undefined = ''; last !== undefined; ) {
    const where = and(ofRouter, idAfter(last));
    const page: readonly Row[] = await forRouters(core, (job) => job.read((entities) => entities.list(terminator, { where, limit: PAGE })));
    const changing = page.filter((row) => requiredPrecedences(isQuiesced, row));
    for (const rows of inBatches(changing, () => 1, BATCH)) {
      await changeAll(rows.map(({ id }) => id));
      await yieldToEventLoop();
    }
    last = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
};
