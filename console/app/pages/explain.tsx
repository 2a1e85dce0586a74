import { useState } from 'preact/hooks';
import {
  type AccessExplanation,
  type AccessSuggestion,
  type BatchedOperation,
  type ExplainedPolicy,
  type ExplainedSide,
  previewing,
} from '../../../src/client/index.ts';
import { useLoaded } from '../loaded.ts';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { EntityLink } from '../parts/entity-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { nameOf, textOf } from '../words.ts';

const t = texts.access;

interface Props {
  readonly session: Session;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: 'Dial' | 'Bind';
}

/** Why an identity may or may not reach a service, and what would change that. */
export const Explain = ({ session, identityId, serviceId, type }: Props) => {
  const [chosen, setChosen] = useState<AccessSuggestion>();
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
  const operation = chosen && operationOf(chosen);
  return (
    <>
      {crumb}
      <Heading text={t.why} />
      <Verdict explanation={value} />
      <ul class="choices" aria-label={t.verb}>
        {(['Dial', 'Bind'] as const).map((each) => (
          <li key={each}>
            <a
              href={hrefOf(['access', 'explain', identityId, serviceId], { type: each })}
              aria-current={each === type ? 'true' : undefined}
            >
              {t.verbs[each]}
            </a>
          </li>
        ))}
      </ul>
      {value.suggestions.length > 0 && (
        <section>
          <h2>{t.suggestions}</h2>
          <ol class="suggestions">
            {value.suggestions.map((each) => (
              <li key={each.description}>
                <span>{each.description}</span>
                {mayCarryOut(session, each) && (
                  <button type="button" onClick={() => setChosen(each)}>
                    {t.carryOut}
                  </button>
                )}
              </li>
            ))}
          </ol>
        </section>
      )}
      <section>
        <h2>{t.policies}</h2>
        {value.policies.length === 0 && <p class="muted">{t.none}</p>}
        <ul class="explained">
          {value.policies.map((each) => (
            <Policy key={each.policy.id} explained={each} />
          ))}
        </ul>
        {value.morePolicies > 0 && <p class="muted small">{t.morePolicies(value.morePolicies)}</p>}
      </section>
      {chosen && operation && (
        <ChangeDialog
          title={chosen.description}
          action={t.apply}
          preview={(options) => previewing(client).batch.run({ body: { operations: [operation] } }, options)}
          carryOut={async (options) => {
            await client.batch.run({ body: { operations: [operation] } }, options);
            setChosen(undefined);
            reload();
          }}
          close={() => setChosen(undefined)}
        />
      )}
    </>
  );
};

const OPERATIONS = {
  patchIdentity: 'identities.patch',
  patchService: 'services.patch',
  patchServicePolicy: 'servicePolicies.patch',
  createServicePolicy: 'servicePolicies.create',
} as const;

/** The operation that carries a suggestion out; undefined if the endpoint itself must change. */
const operationOf = ({ operationId, id, body }: AccessSuggestion): BatchedOperation | undefined =>
  operationId && { operation: OPERATIONS[operationId], input: { ...(id === undefined ? {} : { id }), body: body ?? {} } };

const mayCarryOut = ({ may }: Session, suggestion: AccessSuggestion): boolean => {
  const [group, verb] = operationOf(suggestion)?.operation.split('.') ?? [];
  return may('batch', 'run') && group !== undefined && verb !== undefined && may(group, verb);
};

const Verdict = ({ explanation }: { readonly explanation: AccessExplanation }) => {
  const { isAllowed, isPermitted, identity, service, type, commonRouters } = explanation;
  const say = isAllowed ? t.allowed : t.denied;
  return (
    <div class={isAllowed ? 'notice good' : 'notice bad'}>
      <p>
        <strong>{say(nameOf(identity), nameOf(service), t.verbs[type])}</strong>
      </p>
      {!isAllowed && isPermitted && <p>{t.deniedByPosture}</p>}
      <p class="small">{commonRouters.length === 0 ? t.noRouter : t.routers(commonRouters.map(nameOf).join(', '))}</p>
      <p class="small">
        <EntityLink group="identities" reference={identity} /> · <EntityLink group="services" reference={service} />
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
          <EntityLink group="servicePolicies" reference={policy} />
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
      <Side label={t.who.toLowerCase()} side={identity} semantic={semantic} />
      <Side label={t.what.toLowerCase()} side={service} semantic={semantic} />
      {postureChecks.map(({ check, isPassing, expectedValue, actualValue }) => (
        <p key={check.id} class="small">
          <EntityLink group="postureChecks" reference={check} />{' '}
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

const Side = ({
  label,
  side,
  semantic,
}: {
  readonly label: string;
  readonly side: ExplainedSide;
  readonly semantic: 'AllOf' | 'AnyOf';
}) => (
  <p class="small">
    <span class={side.isSelected ? 'good' : 'bad'}>{side.isSelected ? t.selects(label) : t.selectsNot(label)}</span>{' '}
    <span class="chips">
      {side.selectors.map(({ selector, isMatching }, index) => (
        <span key={selector}>
          {index > 0 && <span class="muted">{semantic === 'AllOf' ? t.and : t.or}</span>}
          <span class={isMatching ? 'chip good' : 'chip'}>{selector}</span>
        </span>
      ))}
    </span>
  </p>
);
