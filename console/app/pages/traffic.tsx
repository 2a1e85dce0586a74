import { useState } from 'preact/hooks';
import type { Circuit, RouterLink } from '../../../src/client/index.ts';
import { mayPicture } from '../access-picture.ts';
import { useLoaded } from '../loaded.ts';
import { EntityLink, ToEntity } from '../parts/entity-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { Picture, type PictureEdge, type PictureNode } from '../parts/picture.tsx';
import { Problem } from '../parts/problem.tsx';
import { Table } from '../parts/table.tsx';
import { Value } from '../parts/value.tsx';
import { hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { settings } from '../settings.ts';
import { texts } from '../texts.ts';
import { nameOf } from '../words.ts';

const t = texts.traffic;
const PAGE = 50;

/** The traffic of the network now: links with their cost, circuits with their ways. */
export const Traffic = ({ session }: { readonly session: Session }) => {
  const [turn, setTurn] = useState(0);
  return (
    <>
      <Heading text={t.title}>
        <button type="button" onClick={() => setTurn(turn + 1)}>
          {t.refresh}
        </button>
      </Heading>
      {session.may('links', 'list') && <Links session={session} turn={turn} />}
      {session.may('circuits', 'list') && <Circuits session={session} turn={turn} again={() => setTurn(turn + 1)} />}
    </>
  );
};

const Links = ({ session, turn }: { readonly session: Session; readonly turn: number }) => {
  const { value, error, reload } = useLoaded(`links ${turn}`, (signal) => client.links.list({ limit: PAGE }, { signal }));
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  return (
    <section aria-labelledby="links">
      <h2 id="links">{t.links(value.pagination.totalCount)}</h2>
      {value.data.length === 0 ? <p class="muted">{t.noLinks}</p> : <LinkPicture session={session} links={value.data} />}
      {value.data.length > 0 && (
        <Table columns={[t.from, t.to, t.protocol, t.cost]}>
          <tbody>
            {value.data.map((link) => (
              <tr key={link.id}>
                <th scope="row">
                  <EntityLink group="edgeRouters" reference={link.sourceRouter} />
                </th>
                <td data-label={t.to}>
                  <EntityLink group="edgeRouters" reference={link.destRouter} />
                </td>
                <td data-label={t.protocol}>{link.protocol}</td>
                <td data-label={t.cost}>{link.cost}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
};

/** The routers that dial on the left, those that are dialed on the right. */
const LinkPicture = ({ session, links }: { readonly session: Session; readonly links: readonly RouterLink[] }) => {
  const leads = settings.features.includes('access') && mayPicture(session, 'edgeRouters');
  const nodes = (side: 'from' | 'to', routers: readonly RouterLink['sourceRouter'][]): readonly PictureNode[] =>
    [...new Map(routers.map((router) => [router.id, router])).values()].map((router) => ({
      key: `${side} ${router.id}`,
      label: nameOf(router),
      href: leads ? hrefOf(['access'], { edgeRouters: router.id }) : undefined,
      shape: 'subject',
    }));
  const edges = links.map(
    ({ sourceRouter, destRouter, cost, protocol }): PictureEdge => ({
      from: `from ${sourceRouter.id}`,
      to: `to ${destRouter.id}`,
      label: t.link(nameOf(sourceRouter), nameOf(destRouter), protocol, cost),
      tone: 'dial',
    }),
  );
  const columns = [
    nodes(
      'from',
      links.map(({ sourceRouter }) => sourceRouter),
    ),
    nodes(
      'to',
      links.map(({ destRouter }) => destRouter),
    ),
  ];
  return <Picture columns={columns} edges={edges} title={t.links(links.length)} />;
};

interface CircuitsProps {
  readonly session: Session;
  readonly turn: number;
  readonly again: () => void;
}

const Circuits = ({ session, turn, again }: CircuitsProps) => {
  const [failure, setFailure] = useState<unknown>();
  const { value, error, reload } = useLoaded(`circuits ${turn}`, (signal) => client.circuits.list({ limit: PAGE }, { signal }));
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const end = (id: string): void => {
    setFailure(undefined);
    client.circuits.delete({ id }).then(again, setFailure);
  };
  return (
    <section aria-labelledby="circuits">
      <h2 id="circuits">{t.circuits(value.pagination.totalCount)}</h2>
      {failure !== undefined && <Problem error={failure} />}
      {value.data.length === 0 && <p class="muted">{t.noCircuits}</p>}
      {value.data.length > 0 && (
        <Table columns={[t.service, t.client, t.way, t.since, t.end]}>
          <tbody>
            {value.data.map((circuit) => (
              <tr key={circuit.id}>
                <th scope="row">
                  <EntityLink group="services" reference={circuit.service} />
                </th>
                <td data-label={t.client}>
                  <ToEntity group="identities" id={circuit.clientId}>
                    {circuit.clientId}
                  </ToEntity>
                </td>
                <td data-label={t.way}>{wayOf(circuit)}</td>
                <td data-label={t.since}>
                  <Value value={circuit.createdAt} />
                </td>
                <td>
                  {session.may('circuits', 'delete') && (
                    <button type="button" class="danger" onClick={() => end(circuit.id)}>
                      {t.end}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {value.data.length < value.pagination.totalCount && (
        <p class="muted small">{texts.more(value.pagination.totalCount - value.data.length)}</p>
      )}
    </section>
  );
};

const wayOf = ({ path: { nodes } }: Circuit): string => nodes.map(nameOf).join(' → ');
