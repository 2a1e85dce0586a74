import { mayPicture, POLICIES_SHOWN, readPicture, type SubjectGroup } from '../access-picture.ts';
import { entityApi, titleOf } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { AccessPairs } from '../parts/access-pairs.tsx';
import { Heading } from '../parts/heading.tsx';
import { Paging } from '../parts/paging.tsx';
import { Picker } from '../parts/picker.tsx';
import { Picture } from '../parts/picture.tsx';
import { Problem } from '../parts/problem.tsx';
import { Why } from '../parts/why.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';

const t = texts.access;
const GROUPS: readonly SubjectGroup[] = ['identities', 'services', 'edgeRouters'];

const hasPairs = ({ may }: Session, group: SubjectGroup): boolean =>
  group !== 'edgeRouters' && may('access', group === 'identities' ? 'reach' : 'whoCan');

/** The access of one entity: a picture of its policies, and a list of all pairs with their reasons. */
export const Access = ({ session, query }: { readonly session: Session; readonly query: Readonly<Record<string, string>> }) => {
  const groups = GROUPS.filter((name) => session.may(name, 'list') && (hasPairs(session, name) || mayPicture(session, name)));
  const group = groups.find((name) => query[name]);
  const id = group && query[group];
  return (
    <>
      <Heading text={t.title} />
      {group && id ? (
        <Subject key={`${group}/${id}`} session={session} group={group} id={id} offset={Math.max(0, Number(query['offset']) || 0)} />
      ) : (
        <>
          <p>{t.hint}</p>
          <div class="columns">
            {groups.map((name) => (
              <Picker
                key={name}
                label={t.subjects[name]}
                group={name}
                choose={(entity) => goTo(hrefOf(['access'], { [name]: entity.id }))}
              />
            ))}
          </div>
          {mayExplain(session) && <Why />}
        </>
      )}
    </>
  );
};

const mayExplain = ({ may }: Session): boolean => may('access', 'explain') && may('identities', 'list') && may('services', 'list');

interface SubjectProps {
  readonly session: Session;
  readonly group: SubjectGroup;
  readonly id: string;
  /** The offset of the page of its policies. */
  readonly offset: number;
}

const Subject = ({ session, group, id, offset }: SubjectProps) => {
  const { value, error, reload } = useLoaded(`${group}/${id} ${offset}`, async (signal) => {
    const subject = await entityApi(group).get({ id }, { signal });
    const name = titleOf(subject);
    return { subject, name, picture: mayPicture(session, group) ? await readPicture({ group, id, name, offset }, signal) : undefined };
  });
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const { subject, name, picture } = value;
  const show = (from: number) => goTo(hrefOf(['access'], { [group]: id, offset: from === 0 ? undefined : String(from) }));
  return (
    <>
      <p class="crumb">
        <a href={hrefOf(['access'])}>{t.title}</a>
      </p>
      <h2>{t.picture(name)}</h2>
      {picture?.policyCount === 0 && <p class="notice warn">{t.noPolicies}</p>}
      {picture && picture.shownCount > 0 && <Picture columns={picture.columns} edges={picture.edges} title={t.picture(name)} />}
      {picture && (picture.policyCount > POLICIES_SHOWN || offset > 0) && (
        <>
          <h3>{t.policies}</h3>
          <Paging limit={POLICIES_SHOWN} offset={offset} totalCount={picture.policyCount} shownCount={picture.shownCount} goTo={show} />
        </>
      )}
      {group !== 'edgeRouters' && hasPairs(session, group) && (
        <AccessPairs group={group} id={id} mayExplain={session.may('access', 'explain')} />
      )}
      {group !== 'edgeRouters' && mayExplain(session) && (
        <Why {...(group === 'identities' ? { identity: subject } : { service: subject })} />
      )}
    </>
  );
};
