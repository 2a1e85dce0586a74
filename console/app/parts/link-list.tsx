import type { RouterLink } from '../../../client/index.ts';
import { offsetIn, readPageAt } from '../list-page.ts';
import { useLoaded } from '../loaded.ts';
import { type RouterGroupOf, readRouterGroups } from '../names.ts';
import { client } from '../session.ts';
import { texts } from '../texts.ts';
import { ReferenceLink } from './entity-link.tsx';
import { Paging } from './paging.tsx';
import { Problem } from './problem.tsx';
import { Table } from './table.tsx';

const t = texts.traffic;
const PAGE = 50;

interface Props {
  readonly offset: string | undefined;
  readonly turn: number;
  readonly goTo: (offset: number) => void;
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
export const LinkList = ({ offset, turn, goTo }: Props) => {
  const { value, error, reload } = useLoaded(`links ${offset}`, (signal) => readLinks(offsetIn(offset), signal), turn);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const { data, pagination, groupOf } = value;
  return (
    <section aria-labelledby="links">
      <h2 id="links">{t.links(pagination.totalCount)}</h2>
      {data.length === 0 ? (
        <p class="muted">{t.noLinks}</p>
      ) : (
        <>
          <Table columns={[t.from, t.to, t.protocol, t.cost]}>
            <tbody>
              {data.map((link) => (
                <LinkRow key={link.id} link={link} groupOf={groupOf} />
              ))}
            </tbody>
          </Table>
          <Paging {...pagination} shownCount={data.length} goTo={goTo} />
        </>
      )}
    </section>
  );
};

const LinkRow = ({ link, groupOf }: { readonly link: RouterLink; readonly groupOf: RouterGroupOf }) => (
  <tr>
    <th scope="row">
      <ReferenceLink reference={link.sourceRouter} group={groupOf(link.sourceRouter.id)} />
    </th>
    <td data-label={t.to}>
      <ReferenceLink reference={link.destRouter} group={groupOf(link.destRouter.id)} />
    </td>
    <td data-label={t.protocol}>{link.protocol}</td>
    <td data-label={t.cost}>{link.cost}</td>
  </tr>
);
