import { useState } from 'preact/hooks';
import type { RouterLink } from '../../../client/index.ts';
import { offsetIn, readPageAt } from '../list-page.ts';
import { useLoaded } from '../loaded.ts';
import { type RouterGroupOf, readRouterGroups } from '../names.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { nameOf } from '../words.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { ReferenceLink } from './entity-link.tsx';
import { Paging } from './paging.tsx';
import { Problem } from './problem.tsx';
import { Table } from './table.tsx';

const t = texts.traffic;
const PAGE = 50;

interface Props {
  readonly session: Session;
  readonly offset: string | undefined;
  readonly turn: number;
  readonly goTo: (offset: number) => void;
  /** Called after a link was taken out of use, or is used again. */
  readonly refresh: () => void;
}

/** A page of links, and the groups of their routers. */
const readLinks = async (offset: number, signal: AbortSignal) => {
  const { data, pagination } = await readPageAt(offset, PAGE, (from) =>
    client.links.list({ limit: PAGE, offset: from, sort: 'id' }, { signal }),
  );
  const routers = data.flatMap(({ sourceRouter, destRouter }) => [sourceRouter.id, destRouter.id]);
  return { data, pagination, groupOf: await readRouterGroups(routers, signal) };
};

/** The links between routers, page by page. */
export const LinkList = ({ session, offset, turn, goTo, refresh }: Props) => {
  const [chosen, setChosen] = useState<RouterLink>();
  const { value, error, reload } = useLoaded(`links ${offset}`, (signal) => readLinks(offsetIn(offset), signal), turn);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const { data, pagination, groupOf } = value;
  const mayPatch = session.may('links', 'patch');
  return (
    <section aria-labelledby="links">
      <h2 id="links">{t.links(pagination.totalCount)}</h2>
      {data.length === 0 ? (
        <p class="muted">{t.noLinks}</p>
      ) : (
        <>
          <Table columns={[t.from, t.to, t.protocol, t.latency, t.cost, ...(mayPatch ? [t.use] : [])]}>
            <tbody>
              {data.map((link) => (
                <LinkRow key={link.id} link={link} groupOf={groupOf} change={mayPatch ? () => setChosen(link) : undefined} />
              ))}
            </tbody>
          </Table>
          <Paging {...pagination} shownCount={data.length} goTo={goTo} />
        </>
      )}
      {chosen && (
        <ConfirmDialog
          title={(chosen.down ? t.useTitle : t.takeTitle)(nameOf(chosen.sourceRouter), nameOf(chosen.destRouter))}
          text={chosen.down ? t.useText : t.takeText}
          action={chosen.down ? t.useAgain : t.take}
          carryOut={async () => {
            await client.links.patch({ id: chosen.id, body: { down: !chosen.down } });
            refresh();
          }}
          close={() => setChosen(undefined)}
        />
      )}
    </section>
  );
};

interface RowProps {
  readonly link: RouterLink;
  readonly groupOf: RouterGroupOf;
  /** Takes the link out of use, or back into use; undefined if the session may not. */
  readonly change: (() => void) | undefined;
}

const LinkRow = ({ link, groupOf, change }: RowProps) => (
  <tr>
    <th scope="row">
      <ReferenceLink reference={link.sourceRouter} group={groupOf(link.sourceRouter.id)} />
    </th>
    <td data-label={t.to}>
      <ReferenceLink reference={link.destRouter} group={groupOf(link.destRouter.id)} />
    </td>
    <td data-label={t.protocol}>{link.protocol}</td>
    <td data-label={t.latency}>{latencyOf(link)}</td>
    <td data-label={t.cost}>{link.down ? <span class="flag">{t.outOfUse}</span> : link.cost}</td>
    {change && (
      <td>
        <button type="button" onClick={change}>
          {link.down ? t.useAgain : t.take}
        </button>
      </td>
    )}
  </tr>
);

/** The greater of the latencies that both routers measure; they report the first one after a minute. */
const latencyOf = ({ sourceLatency, destLatency }: RouterLink): string => {
  const nanoseconds = Math.max(sourceLatency, destLatency);
  return nanoseconds === 0 ? '–' : t.milliseconds(nanoseconds / 1e6);
};
