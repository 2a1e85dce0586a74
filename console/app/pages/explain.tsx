import { useState } from 'preact/hooks';
import {
  type AccessExplanation,
  type AccessSuggestion,
  type ExplainedPolicy,
  type ExplainedSide,
  previewing,
} from '../../../client/index.ts';
import { useLoaded } from '../loaded.ts';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { Choices } from '../parts/choices.tsx';
import { ReferenceLink } from '../parts/entity-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { isOutdated, Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { useNames } from '../references.ts';
import { hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { batchedOperation, operationOf, sentenceOf } from '../suggestion.ts';
import { texts } from '../texts.ts';
import { nameOf, textOf } from '../words.ts';

const t = texts.access;

interface Props {
  readonly session: Session;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: 'Dial' | 'Bind';
}

/** Explains why an identity may or may not reach a service, and which changes would grant it access. */
export const Explain = ({ session, identityId, serviceId, type }: Props) => {
  const [suggestion, setSuggestion] = useState<AccessSuggestion>();
  const [hasChanged, setChanged] = useState(false);
  const { value, error, reload } = useLoaded(`${identityId} ${serviceId} ${type}`, (signal) =>
    client.access.explain({ identityId, serviceId, type }, { signal }),
  );
  const crumb = (
    <p class="crumb">
      <a href={hrefOf(['access'], { identities: identityId })}>{t.title}</a>
    </p>
  );
  if (error !== undefined)
    return (
      <>
        {crumb}
        <Heading text={t.why} />
        <Problem error={error} retry={reload} />
      </>
    );
  if (!value) return <p>{texts.loading}</p>;
  return (
    <>
      {crumb}
      <Heading text={t.why} />
      {hasChanged && (
        <p class="notice warn" role="alert">
          {t.outdated}
        </p>
      )}
      <Verdict explanation={value} />
      <Choices
        label={t.verb}
        chosen={type}
        choices={['Dial', 'Bind']}
        names={t.verbs}
        hrefFor={(choice) => hrefOf(['access', 'explain', identityId, serviceId], { type: choice })}
      />
      {value.suggestions.length > 0 && (
        <Suggestions
          session={session}
          explanation={value}
          choose={(chosen) => {
            setChanged(false);
            setSuggestion(chosen);
          }}
        />
      )}
      <section>
        <h2>{t.policies}</h2>
        {value.policies.length === 0 && <p class="muted">{t.none}</p>}
        <ul class="explained">
          {value.policies.map((explained) => (
            <Policy key={explained.policy.id} explained={explained} />
          ))}
        </ul>
        {value.morePolicies > 0 && <p class="muted small">{t.morePolicies(value.morePolicies)}</p>}
      </section>
      {suggestion && (
        <ChangeDialog
          title={sentenceOf(suggestion, value)}
          action={t.apply}
          name={`apply ${suggestion.id} ${suggestion.description}`}
          preview={async (options) => previewing(client).batch.run({ body: { operations: [await batchedOperation(suggestion)] } }, options)}
          carryOut={async (options) => {
            await client.batch.run({ body: { operations: [await batchedOperation(suggestion)] } }, options);
            setSuggestion(undefined);
            reload();
          }}
          refused={(failure) => {
            if (!isOutdated(failure)) return false;
            setChanged(true);
            reload();
            return true;
          }}
          close={() => setSuggestion(undefined)}
        />
      )}
    </>
  );
};

interface SuggestionsProps {
  readonly session: Session;
  readonly explanation: AccessExplanation;
  readonly choose: (suggestion: AccessSuggestion) => void;
}

const Suggestions = ({ session, explanation, choose }: SuggestionsProps) => (
  <section>
    <h2>{t.suggestions}</h2>
    <ol class="suggestions">
      {explanation.suggestions.map((suggestion) => (
        <li key={suggestion.description}>
          <span>{sentenceOf(suggestion, explanation)}</span>
          {mayApply(session, suggestion) && (
            <button type="button" onClick={() => choose(suggestion)}>
              {t.preview}
            </button>
          )}
        </li>
      ))}
    </ol>
  </section>
);

const mayApply = ({ may }: Session, suggestion: AccessSuggestion): boolean => {
  const [group, verb] = operationOf(suggestion) ?? [];
  return may('batch', 'run') && group !== undefined && verb !== undefined && may(group, verb);
};

const Verdict = ({ explanation }: { readonly explanation: AccessExplanation }) => {
  const { isAllowed, isPermitted, identity, service, type, commonRouters } = explanation;
  const sentence = isAllowed ? t.allowed : t.denied;
  return (
    <div class={isAllowed ? 'notice good' : 'notice bad'}>
      <p>
        <strong>{sentence(nameOf(identity), nameOf(service), t.verbs[type])}</strong>
      </p>
      {!isAllowed && isPermitted && <p>{t.deniedByPosture}</p>}
      <p class="small">{commonRouters.length === 0 ? t.noRouter : t.routers(commonRouters.map(nameOf).join(', '))}</p>
      <p class="small">
        <ReferenceLink group="identities" reference={identity} /> · <ReferenceLink group="services" reference={service} />
      </p>
    </div>
  );
};

const Policy = ({ explained }: { readonly explained: ExplainedPolicy }) => {
  const { policy, isGranting, identity, service, postureChecks, validUntil, reason, semantic } = explained;
  return (
    <li>
      <p>
        <strong>
          <ReferenceLink group="servicePolicies" reference={policy} />
        </strong>{' '}
        <span class={isGranting ? 'good' : 'bad'}>{isGranting ? t.granting : t.notGranting}</span>
        {validUntil && (
          <span class="muted">
            {' '}
            {t.until} <Value value={validUntil} />
          </span>
        )}
        {reason && <em class="muted"> – {reason}</em>}
      </p>
      <Side label={texts.inSentence(t.who)} group="identities" side={identity} semantic={semantic} />
      <Side label={texts.inSentence(t.what)} group="services" side={service} semantic={semantic} />
      {postureChecks.map(({ check, isPassing, expectedValue, actualValue }) => (
        <p key={check.id} class="small">
          <ReferenceLink group="postureChecks" reference={check} />{' '}
          <span class={isPassing ? 'good' : 'bad'}>{isPassing ? t.passing : t.notPassing}</span>
          {!isPassing && (
            <span class="muted">
              {' '}
              ({textOf(expectedValue)} ≠ {textOf(actualValue)})
            </span>
          )}
        </p>
      ))}
    </li>
  );
};

interface SideProps {
  readonly label: string;
  /** The group of the entities that the selectors name. */
  readonly group: string;
  readonly side: ExplainedSide;
  readonly semantic: 'AllOf' | 'AnyOf';
}

const Side = ({ label, group, side: { isSelected, selectors }, semantic }: SideProps) => {
  const nameOf = useNames(
    group,
    selectors.flatMap(({ selector }) => (selector.startsWith('@') ? [selector.slice(1)] : [])),
  );
  return (
    <p class="small">
      <span class={isSelected ? 'good' : 'bad'}>{isSelected ? t.selects(label) : t.selectsNot(label)}</span>{' '}
      <span class="chips">
        {selectors.map(({ selector, isMatching }, index) => (
          <span key={selector}>
            {index > 0 && <span class="muted">{semantic === 'AllOf' ? t.and : t.or}</span>}
            <span class={isMatching ? 'chip good' : 'chip'}>
              {selector.startsWith('@') ? `@${nameOf(selector.slice(1)) ?? selector.slice(1)}` : selector}
            </span>
          </span>
        ))}
      </span>
    </p>
  );
};
