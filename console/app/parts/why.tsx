import { useState } from 'preact/hooks';
import { type Entity, titleOf } from '../kinds.ts';
import { goTo, hrefOf } from '../router.ts';
import { texts } from '../texts.ts';
import { Picker } from './picker.tsx';

const t = texts.access;

interface Props {
  /** The identity, if it is already chosen. */
  readonly identity?: Entity;
  /** The service, if it is already chosen. */
  readonly service?: Entity;
}

/** Chooses an identity and a service, and opens the explanation of their access. */
export const Why = ({ identity, service }: Props) => {
  const [chosenIdentity, setChosenIdentity] = useState<Entity>();
  const subject = identity ?? chosenIdentity;
  const explain = (who: Entity, what: Entity): void => goTo(hrefOf(['access', 'explain', who.id, what.id]));
  const hint = identity ? t.whyService : t.whyHint;
  return (
    <section>
      <h2>{t.why}</h2>
      <p class="muted">{service ? t.whyIdentity : hint}</p>
      {subject && !identity && (
        <p>
          {t.who}: <strong>{titleOf(subject)}</strong>{' '}
          <button type="button" class="quiet" onClick={() => setChosenIdentity(undefined)}>
            {texts.clear}
          </button>
        </p>
      )}
      {subject ? (
        <Picker label={t.what} group="services" choose={(what) => explain(subject, what)} />
      ) : (
        <Picker label={t.who} group="identities" choose={(who) => (service ? explain(who, service) : setChosenIdentity(who))} />
      )}
    </section>
  );
};
