import { endOfPem, endsSoon, timeUntil } from '../certificate-end.ts';
import type { Entity } from '../kinds.ts';
import { texts } from '../texts.ts';
import { fullDate } from '../words.ts';

const t = texts.states;

interface State {
  readonly text: string;
  readonly isOn: boolean;
}

/** The present state of an entity by one of its fields; undefined for fields that say nothing about it. */
const stateOf = (field: string, value: unknown): State | undefined => {
  const [on, off] = (typeof value === 'boolean' && Object.hasOwn(t.fields, field) && t.fields[field]) || [];
  const isOn = value === !OPPOSITE.includes(field);
  const text = isOn ? on : off;
  return text === undefined ? undefined : { text, isOn };
};

/** Fields that are true in the worse case. */
const OPPOSITE: readonly string[] = ['disabled'];

/** A state as a dot with its text: a colour alone does not say it to everybody. */
export const StateDot = ({ text, isOn }: State) => <span class={isOn ? 'live on' : 'live'}>{text}</span>;

/** The state that a field says. */
export const FieldState = ({ field, value }: { readonly field: string; readonly value: unknown }) => {
  const state = stateOf(field, value);
  return state ? <StateDot {...state} /> : null;
};

export const saysState = (field: string, value: unknown): boolean => stateOf(field, value) !== undefined;

/** The enrollment of an identity; undefined for other entities. */
const enrollmentOf = ({ authenticators, enrollment }: Entity): State | undefined => {
  if (typeof authenticators !== 'object' || authenticators === null) return undefined;
  const isEnrolled = Object.keys(authenticators).length > 0;
  const isPending = Object.keys(Object(enrollment)).length > 0;
  return { text: isEnrolled ? t.enrolled : isPending ? t.pending : t.notEnrolled, isOn: isEnrolled };
};

/** The end of the certificate of an entity, as a state. */
const certificateOf = ({ certPem }: Entity): State | undefined => {
  const [end] = typeof certPem === 'string' ? endOfPem(certPem) : [];
  if (!end) return undefined;
  const text = (timeUntil(end.endsAt) < 0 ? t.certificateEnded : t.certificateUntil)(fullDate(end.endsAt));
  return { text, isOn: !endsSoon(end.endsAt) };
};

/** The present states of an entity: online, enabled, enrolled, each in words, with an instruction if it is offline. */
export const States = ({ group, entity }: { readonly group: string; readonly entity: Entity }) => {
  const fields = Object.entries(entity).map(([field, value]) => stateOf(field, value));
  const states = [...fields, enrollmentOf(entity), certificateOf(entity)].filter((state) => state !== undefined);
  const todo = entity['isOnline'] === false && entity['disabled'] !== true ? t.todo[group] : undefined;
  return (
    <>
      {states.length > 0 && (
        <p class="states">
          {states.map((state) => (
            <StateDot key={state.text} {...state} />
          ))}
        </p>
      )}
      {todo && <p class="notice warn">{todo}</p>}
    </>
  );
};
