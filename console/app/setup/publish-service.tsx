import { useMemo, useState } from 'preact/hooks';
import { filter as filterText, previewing } from '../../../client/index.ts';
import { FieldInvalid } from '../entered.ts';
import { entityApi } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { goTo, hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { fieldsOfGroup, ownField } from './fields.ts';
import { Published } from './published.tsx';
import { readCoverage } from './router-coverage.ts';
import {
  type ConfigTypes,
  type Creation,
  inSetup,
  MAX_PORT,
  type MissingPolicies,
  rangeOf,
  SERVICE_AT,
  type ServiceEntries,
  serviceOperations,
  union,
} from './service-operations.ts';
import { CoverageNotes, ServiceSummary, Tunnelers } from './service-parts.tsx';
import { type Step, Steps, useSetup } from './steps.tsx';
import type { WayProps } from './way-props.ts';

const t = texts.setup.publish;
const PROTOCOLS = ['TCP', 'UDP', 'TCP, UDP'];

const fieldsOf = (session: Session) => {
  const roles = { isRequired: true, target: 'identities' };
  return {
    address: [
      ...fieldsOfGroup(session, 'services', ['name']),
      ownField('addresses', 'lines', { isRequired: true, minItems: 1 }),
      ownField('ports', 'lines', { isRequired: true, minItems: 1 }),
      ownField('protocols', 'choice', { isRequired: true, choices: PROTOCOLS }),
    ],
    host: [
      ownField('hostAddress', 'text', { isRequired: true, maxLength: 255 }),
      ownField('hostPort', 'number', { minimum: 1, maximum: MAX_PORT }),
      ownField('hostedBy', 'selectors', roles),
    ],
    users: [ownField('usedBy', 'selectors', roles)],
    routers: [ownField('edgeRouters', 'selectors', { target: 'edgeRouters', initial: ['#all'] })],
  };
};

/** Creates a service with its configs and policies in one transaction, once its effect has been shown. */
export const PublishService = ({ session, query }: WayProps) => {
  const fields = useMemo(() => fieldsOf(session), []);
  const setup = useSetup('publish-service', Object.values(fields).flat());
  const [isConfirming, setConfirming] = useState(false);
  const { shown, fill } = setup.state;
  const selectors = union(entriesOf(shown['hostedBy']), entriesOf(shown['usedBy']));
  const coverage = useLoaded(`coverage ${selectors.join('\n')}`, (signal) => readCoverage(session, selectors, signal));
  if (query['id'] !== undefined) return <Published session={session} id={query['id']} />;
  const entries = (): ServiceEntries => setup.body() as unknown as ServiceEntries; // `fieldsOf` declares a field for each of its members
  const isLacking = coverage.value !== undefined && (coverage.value.ofIdentities || coverage.value.ofService);
  const steps: readonly Step[] = [
    { ...t.steps.address, fields: fields.address, check: () => checkAddress(session, entries()) },
    {
      ...t.steps.host,
      fields: fields.host,
      content: <Tunnelers session={session} choose={(selector) => fill({ hostedBy: union(entriesOf(shown['hostedBy']), [selector]) })} />,
      check: () => requireSelection(entries(), 'hostedBy'),
    },
    { ...t.steps.users, fields: fields.users, check: () => requireSelection(entries(), 'usedBy') },
    { ...t.steps.routers, fields: isLacking ? fields.routers : [], content: <CoverageNotes session={session} coverage={coverage} /> },
    { ...t.steps.review, content: <ServiceSummary shown={shown} coverage={coverage.value} /> },
  ];
  const finish = (): void => {
    requireSelection(entries(), 'hostedBy');
    requireSelection(entries(), 'usedBy');
    setConfirming(true);
  };
  return (
    <>
      <Steps setup={setup} steps={steps} at={query['step']} action={t.action} finish={finish} />
      {isConfirming && (
        <Confirmation
          session={session}
          entries={entries()}
          published={(id) => {
            setup.state.startOver();
            goTo(hrefOf(['setup', setup.name], { id }), { isReplacing: true });
          }}
          refused={setup.refuse}
          close={() => setConfirming(false)}
        />
      )}
    </>
  );
};

const entriesOf = (shown: unknown): readonly string[] => (Array.isArray(shown) ? shown.map(String) : []);

/** @throws FieldInvalid for invalid ports, and for a name that is taken */
const checkAddress = async ({ may }: Session, { name, ports }: ServiceEntries): Promise<void> => {
  for (const line of ports) rangeOf(line);
  if (!may('services', 'list')) return;
  const { data } = await client.services.list({ filter: filterText`name = ${name}`, limit: 1 });
  if (data.length > 0) throw new FieldInvalid('name', t.taken(name));
};

/** @throws FieldInvalid */
const requireSelection = (entries: ServiceEntries, field: 'hostedBy' | 'usedBy'): void => {
  if (entries[field].length === 0) throw new FieldInvalid(field, t.nobody[field]);
};

interface ConfirmationProps {
  readonly session: Session;
  readonly entries: ServiceEntries;
  readonly published: (id: string | undefined) => void;
  readonly refused: (error: unknown) => boolean;
  readonly close: () => void;
}

/** Shows who gains access, and publishes the service. */
const Confirmation = ({ session, entries, published, refused, close }: ConfirmationProps) => {
  /** Runs the batch, or previews it. Errors are attributed to the fields that caused them. */
  const run = async <T,>(call: (body: { operations: readonly Creation[] }) => Promise<T>): Promise<T> => {
    const [types, missing] = await Promise.all([readConfigTypes(), readMissing(session, entries)]);
    const operations = serviceOperations(entries, types, missing);
    try {
      return await call({ operations });
    } catch (error) {
      throw inSetup(error, operations);
    }
  };
  return (
    <ChangeDialog
      title={t.action}
      action={t.action}
      name="setup/publish-service"
      preview={(options) => run((body) => previewing(client).batch.run({ body }, options))}
      carryOut={async (options) => {
        const { results } = await run((body) => client.batch.run({ body }, options));
        published(results[SERVICE_AT]?.id);
      }}
      refused={refused}
      close={close}
    />
  );
};

/** The router policies to create: none if no edge routers were chosen for them. */
const readMissing = async (session: Session, { edgeRouters = [], hostedBy, usedBy }: ServiceEntries): Promise<MissingPolicies> =>
  edgeRouters.length === 0
    ? { ofIdentities: false, ofService: false }
    : readCoverage(session, union(hostedBy, usedBy), new AbortController().signal);

/** @throws FieldInvalid if they are missing, for example on a network whose administrator deleted them */
const readConfigTypes = async (): Promise<ConfigTypes> => {
  const { data } = await entityApi('configTypes').list({ filter: 'name in ["intercept.v1", "host.v1"]' });
  const idOf = (name: string): string | undefined => data.find((type) => type['name'] === name)?.id;
  const [intercept, host] = [idOf('intercept.v1'), idOf('host.v1')];
  if (intercept === undefined || host === undefined) throw new FieldInvalid('name', t.noTypes);
  return { intercept, host };
};
