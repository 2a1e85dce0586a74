import { useState } from 'preact/hooks';
import type { AccessEntry } from '../../../client/index.ts';
import { useLoaded } from '../loaded.ts';
import { hrefOf } from '../router.ts';
import { client } from '../session.ts';
import { texts } from '../texts.ts';
import { nameOf } from '../words.ts';
import { ReferenceLink } from './entity-link.tsx';
import { Problem } from './problem.tsx';
import { Table } from './table.tsx';
import { Value } from './value.tsx';

const t = texts.access;
const PAGE = 50;

interface Props {
  readonly group: 'identities' | 'services';
  readonly id: string;
  readonly mayExplain: boolean;
}

/** All pairs of an identity and a service, page by page. */
export const AccessPairs = ({ group, id, mayExplain }: Props) => {
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined]);
  return (
    <section aria-labelledby="pairs">
      <h2 id="pairs">{t.table}</h2>
      <Table columns={[group === 'identities' ? t.what : t.who, t.verb, t.policies, t.conditions, ...(mayExplain ? [t.explain] : [])]}>
        {cursors.map((after, index) => (
          <Rows
            key={after ?? ''}
            group={group}
            id={id}
            after={after}
            mayExplain={mayExplain}
            showMore={index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : undefined}
          />
        ))}
      </Table>
    </section>
  );
};

interface RowsProps extends Props {
  readonly after: string | undefined;
  readonly showMore: ((next: string) => void) | undefined;
}

const Rows = ({ group, id, after, mayExplain, showMore }: RowsProps) => {
  const { value, error, reload } = useLoaded(`${group}/${id}/${after}`, (signal) => {
    const page = { limit: PAGE, ...(after === undefined ? {} : { after }) };
    return group === 'identities'
      ? client.access.reach({ identityId: id, ...page }, { signal })
      : client.access.whoCan({ serviceId: id, ...page }, { signal });
  });
  const next = value?.next;
  return (
    <tbody aria-busy={!value && error === undefined}>
      {value?.entries.map((entry) => (
        <Row key={`${entry.identity.id} ${entry.service.id} ${entry.type}`} entry={entry} group={group} mayExplain={mayExplain} />
      ))}
      {(error !== undefined || value?.entries.length === 0 || (next && showMore)) && (
        <tr>
          <td colSpan={5}>
            {error !== undefined && <Problem error={error} retry={reload} />}
            {value?.entries.length === 0 && after === undefined && <span class="muted">{t.none}</span>}
            {next && showMore && (
              <button type="button" onClick={() => showMore(next)}>
                {t.more}
              </button>
            )}
          </td>
        </tr>
      )}
    </tbody>
  );
};

interface RowProps {
  readonly entry: AccessEntry;
  readonly group: 'identities' | 'services';
  readonly mayExplain: boolean;
}

const Row = ({ entry: { identity, service, type, policies, validUntil }, group, mayExplain }: RowProps) => (
  <tr>
    <th scope="row">
      {group === 'identities' ? (
        <ReferenceLink group="services" reference={service} />
      ) : (
        <ReferenceLink group="identities" reference={identity} />
      )}
    </th>
    <td data-label={t.verb}>{t.verbs[type]}</td>
    <td data-label={t.policies}>
      {policies.map(({ policy }, index) => (
        <span key={policy.id}>
          {index > 0 && ', '}
          <ReferenceLink group="servicePolicies" reference={policy} />
        </span>
      ))}
    </td>
    <td data-label={t.conditions}>
      {[...new Set(policies.flatMap(({ postureChecks }) => postureChecks.map(nameOf)))].join(', ')}
      {validUntil && (
        <>
          {' '}
          {t.until} <Value value={validUntil} />
        </>
      )}
    </td>
    {mayExplain && (
      <td>
        <a href={hrefOf(['access', 'explain', identity.id, service.id], { type })}>{t.explain}</a>
      </td>
    )}
  </tr>
);
