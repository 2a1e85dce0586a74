import { readLosses } from '../disabling.ts';
import { type Entity, kindOf, titleOf } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { EntityLink } from './entity-link.tsx';
import { Problem } from './problem.tsx';

const t = texts.disabling;

interface Props {
  readonly session: Session;
  readonly group: string;
  readonly entities: readonly Entity[];
}

/** Entities of a bulk action whose losses are shown. */
const MAX_SHOWN = 5;

/** The losses while entities are disabled, before that is saved. */
export const Disabling = ({ session, group, entities }: Props) => (
  <section class="notice warn">
    <h3>{t.title}</h3>
    {entities.slice(0, MAX_SHOWN).map((entity) => (
      <Losses key={entity.id} {...{ session, group, entity }} isNamed={entities.length > 1} />
    ))}
    {entities.length > MAX_SHOWN && <p>{texts.more(entities.length - MAX_SHOWN)}</p>}
    <p class="small">{t.returns}</p>
  </section>
);

const Losses = ({ session, group, entity, isNamed }: Omit<Props, 'entities'> & { readonly entity: Entity; readonly isNamed: boolean }) => {
  const { value, error, reload } = useLoaded(`losses ${group}/${entity.id}`, (signal) => readLosses(session, group, entity, signal));
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p role="status">{texts.loading}</p>;
  const losses = value.filter(({ count }) => count > 0);
  const shown = losses.length > 0 ? losses : value;
  return (
    <>
      {isNamed && <h4>{titleOf(entity, kindOf(group))}</h4>}
      <ul class="reasons">
        {shown.map(({ name, group: of, count, entities }) => (
          <li key={name}>
            {t.losses[name](count)}
            {entities.map((each, index) => (
              <span key={each.id}>
                {index === 0 ? ': ' : ', '}
                <EntityLink group={of} id={each.id}>
                  {titleOf(each, kindOf(of))}
                </EntityLink>
              </span>
            ))}
            {count > entities.length && entities.length > 0 && ` ${texts.more(count - entities.length)}`}
          </li>
        ))}
      </ul>
    </>
  );
};
