import { useState } from 'preact/hooks';
import { filter as filterText } from '../../../client/index.ts';
import { useLoaded } from '../loaded.ts';
import { countOf } from '../matching.ts';
import { client, type Session } from '../session.ts';
import { storageKey } from '../settings.ts';
import { texts } from '../texts.ts';
import { Ticks } from './ticks.tsx';
import { wayHref } from './ways.ts';

const t = texts.setup.first;
/** Remembers, for this browser, that the list is not wanted. */
const DISMISSED = storageKey('first steps dismissed');

interface FirstStep {
  readonly key: keyof typeof t.steps;
  /** The group of the setup that does it. */
  readonly group: string;
  readonly mayRead: boolean;
  readonly isDone: (signal: AbortSignal) => Promise<boolean>;
}

const stepsOf = ({ may, identity }: Session): readonly FirstStep[] => [
  {
    key: 'router',
    group: 'edgeRouters',
    mayRead: may('edgeRouters', 'list'),
    isDone: async (signal) => (await countOf('edgeRouters', 'online = true', signal)) > 0,
  },
  {
    key: 'identity',
    group: 'identities',
    mayRead: may('authenticators', 'list'),
    isDone: async (signal) => (await countOf('authenticators', filterText`not identity = ${identity.id}`, signal)) > 0,
  },
  {
    key: 'service',
    group: 'services',
    mayRead: may('services', 'list'),
    isDone: async (signal) => (await countOf('services', '', signal)) > 0,
  },
  {
    key: 'policy',
    group: 'services',
    mayRead: may('access', 'matrix'),
    isDone: async (signal) => (await client.access.matrix({ type: 'Dial', limit: 1 }, { signal })).entries.length > 0,
  },
];

/** The needs of a new network, as long as one of them is missing. Only steps that the session may take are shown. */
export const FirstSteps = ({ session, turn }: { readonly session: Session; readonly turn: number }) => {
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(DISMISSED) !== null);
  const steps = stepsOf(session).filter(({ group, mayRead }) => mayRead && wayHref(session, group) !== undefined);
  const { value } = useLoaded(
    'first steps',
    async (signal) => (isDismissed ? [] : Promise.all(steps.map(async (step) => ({ ...step, isDone: await step.isDone(signal) })))),
    turn,
  );
  if (isDismissed || !value || value.every(({ isDone }) => isDone)) return null;
  const dismiss = (): void => {
    localStorage.setItem(DISMISSED, 'true');
    setDismissed(true);
    document.querySelector('main')?.focus();
  };
  return (
    <section class="notice" aria-labelledby="first-steps">
      <h2 id="first-steps">{t.title}</h2>
      <Ticks
        ticks={value.map(({ key, group, isDone }) => ({
          key,
          isDone,
          text: isDone ? t.steps[key] : <a href={wayHref(session, group) ?? ''}>{t.steps[key]}</a>,
        }))}
      />
      <button type="button" class="quiet" onClick={dismiss}>
        {t.dismiss}
      </button>
    </section>
  );
};
