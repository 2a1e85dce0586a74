import { useState } from 'preact/hooks';
import type { AccessEntry } from '../../../src/client/index.ts';
import { MAX_POLICIES, mayPicture, readPicture, type SubjectGroup } from '../access-picture.ts';
import { type Entity, entityApi } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { EntityLink } from '../parts/entity-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { Picker } from '../parts/picker.tsx';
import { Picture } from '../parts/picture.tsx';
import { Problem } from '../parts/problem.tsx';
import { Table } from '../parts/table.tsx';
import { Value } from '../parts/value.tsx';
import { goTo, hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { nameOf } from '../words.ts';
import { titleOf } from './list.tsx';

const t = texts.access;
const GROUPS: readonly SubjectGroup[] = ['identities', 'services', 'edgeRouters'];
const PAGE = 50;

const hasPairs = ({ may }: Session, group: SubjectGroup): boolean =>
  group !== 'edgeRouters' && may('access', group === 'identities' ? 'reach' : 'whoCan');

/** Who reaches what: a picture of what one entity is related to, and each pair with its reasons. */
export const Access = ({ session, query }: { readonly session: Session; readonly query: Readonly<Record<string, string>> }) => {
  const groups = GROUPS.filter((each) => session.may(each, 'list') && (hasPairs(session, each) || mayPicture(session, each)));
  const group = groups.find((each) => query[each]);
  const id = group && query[group];
  return (
    <>
      <Heading text={t.title} />
      {group && id ? (
        <Subject key={`${group}/${id}`} session={session} group={group} id={id} />
      ) : (
        <>
          <p>{t.hint}</p>
          <div class="columns">
            {groups.map((each) => (
              <Picker
                key={each}
                label={t.subjects[each]}
                group={each}
                choose={(entity) => goTo(hrefOf(['access'], { [each]: entity.id }))}
              />
            ))}
          </div>
          {session.may('access', 'explain') && session.may('services', 'list') && <Why />}
        </>
      )}
    </>
  );
};

/** Chooses an identity and a service whose access is explained. */
const Why = () => {
  const [who, setWho] = useState<Entity>();
  const explain = (what: Entity): void => (who ? goTo(hrefOf(['access', 'explain', who.id, what.id])) : undefined);
  return (
    <section>
      <h2>{t.why}</h2>
      <p class="muted">{t.whyHint}</p>
      {who ? (
        <>
          <p>
            {t.who}: <strong>{titleOf(who)}</strong>{' '}
            <button type="button" class="quiet" onClick={() => setWho(undefined)}>
              {texts.clear}
            </button>
          </p>
          <Picker label={t.what} group="services" choose={explain} />
        </>
      ) : (
        <Picker label={t.who} group="identities" choose={setWho} />
      )}
    </section>
  );
};

interface SubjectProps {
  readonly session: Session;
  readonly group: SubjectGroup;
  readonly id: string;
}

const Subject = ({ session, group, id }: SubjectProps) => {
  const { value, error, reload } = useLoaded(`${group}/${id}`, async (signal) => {
    const name = titleOf(await entityApi(group).get({ id }, { signal }));
    return { name, picture: mayPicture(session, group) ? await readPicture(group, id, name, signal) : undefined };
  });
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const { name, picture } = value;
  return (
    <>
      <p class="crumb">
        <a href={hrefOf(['access'])}>{t.title}</a>
      </p>
      <h2>{t.picture(name)}</h2>
      {picture?.policyCount === 0 && <p class="notice warn">{t.noPolicies}</p>}
      {picture && picture.policyCount > 0 && <Picture columns={picture.columns} edges={picture.edges} title={t.picture(name)} />}
      {picture && picture.policyCount > MAX_POLICIES && <p class="muted small">{texts.more(picture.policyCount - MAX_POLICIES)}</p>}
      {group !== 'edgeRouters' && hasPairs(session, group) && <Pairs group={group} id={id} mayExplain={session.may('access', 'explain')} />}
    </>
  );
};

interface PairsProps {
  readonly group: 'identities' | 'services';
  readonly id: string;
  readonly mayExplain: boolean;
}

/** Each pair, page by page. */
const Pairs = ({ group, id, mayExplain }: PairsProps) => {
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
            goOn={index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : undefined}
          />
        ))}
      </Table>
    </section>
  );
};

interface RowsProps extends PairsProps {
  readonly after: string | undefined;
  readonly goOn: ((next: string) => void) | undefined;
}

const Rows = ({ group, id, after, mayExplain, goOn }: RowsProps) => {
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
      {(error !== undefined || value?.entries.length === 0 || (next && goOn)) && (
        <tr>
          <td colSpan={5}>
            {error !== undefined && <Problem error={error} retry={reload} />}
            {value?.entries.length === 0 && after === undefined && <span class="muted">{t.none}</span>}
            {next && goOn && (
              <button type="button" onClick={() => goOn(next)}>
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
        <EntityLink group="services" reference={service} />
      ) : (
        <EntityLink group="identities" reference={identity} />
      )}
    </th>
    <td data-label={t.verb}>{t.verbs[type]}</td>
    <td data-label={t.policies}>
      {policies.map(({ policy }, index) => (
        <span key={policy.id}>
          {index > 0 && ', '}
          <EntityLink group="servicePolicies" reference={policy} />
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
      <td data-label={t.explain}>
        <a href={hrefOf(['access', 'explain', identity.id, service.id], { type })}>{t.explain}</a>
      </td>
    )}
  </tr>
);
