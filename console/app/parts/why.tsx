import { useState } from 'preact/hooks';
import { type Entity, titleOf } from '../kinds.ts';
import { goTo, hrefOf } from '../router.ts';
import { texts } from '../texts.ts';
import { Picker } from './picker.tsx';

const t = texts.access;

interface Props {
  /** The identity of the question, if it is known. */
  readonly identity?: Entity;
  /** The service of the question, if it is known. */
  readonly service?: Entity;
}

/** Chooses an identity and a service whose access is explained: granted or not, and what would grant it. */
export const Why = ({ identity, service }: Props) => {
  const [chosen, setChosen] = useState<Entity>();
  const who = identity ?? chosen;
  const explain = (by: Entity, what: Entity): void => goTo(hrefOf(['access', 'explain', by.id, what.id]));
  return (
    <section>
      <h2>{t.why}</h2>
      <p class="muted">{identity ? t.whyService : service ? t.whyIdentity : t.whyHint}</p>
      {who && !identity && (
        <p>
          {t.who}: <strong>{titleOf(who)}</strong>{' '}
          <button type="button" class="quiet" onClick={() => setChosen(undefined)}>
            {texts.clear}
          </button>
        </p>
      )}
      {who ? (
        <Picker label={t.what} group="services" choose={(what) => explain(who, what)} />
      ) : (
        <Picker label={t.who} group="identities" choose={(by) => (service ? explain(by, service) : setChosen(by))} />
      )}
    </section>
  );
};
