import { useState } from 'preact/hooks';
import { CircuitList } from '../parts/circuit-list.tsx';
import { Heading } from '../parts/heading.tsx';
import { LinkList } from '../parts/link-list.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';

const t = texts.traffic;

interface Props {
  readonly session: Session;
  /** The offsets of the first link and of the first circuit to show. */
  readonly query: { readonly links?: string; readonly circuits?: string };
}

/** The traffic of the network now: links with their cost, circuits with their ways. */
export const Traffic = ({ session, query }: Props) => {
  const [turn, setTurn] = useState(0);
  const show = (changes: Props['query']): void => goTo(hrefOf(['traffic'], { ...query, ...changes }));
  const refresh = (): void => setTurn(turn + 1);
  return (
    <>
      <Heading text={t.title}>
        <button type="button" onClick={refresh}>
          {t.refresh}
        </button>
      </Heading>
      {session.may('links', 'list') && (
        <LinkList session={session} offset={query.links} turn={turn} goTo={(offset) => show({ links: String(offset) })} refresh={refresh} />
      )}
      {session.may('circuits', 'list') && (
        <CircuitList
          session={session}
          offset={query.circuits}
          turn={turn}
          goTo={(offset) => show({ circuits: String(offset) })}
          refresh={refresh}
        />
      )}
    </>
  );
};
