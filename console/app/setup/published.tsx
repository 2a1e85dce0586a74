import { client, type Session } from '../session.ts';
import { settings } from '../settings.ts';
import { texts } from '../texts.ts';
import { Created } from './created.tsx';
import { useFollowed } from './followed.ts';

const t = texts.setup.publish;

interface Reading {
  readonly name: string;
  readonly isHosted: boolean | undefined;
  readonly hasRouter: boolean | undefined;
}

/** A service that was just published, and whether it can be used already. */
export const Published = ({ session, id }: { readonly session: Session; readonly id: string }) => {
  const { may } = session;
  const read = async (signal: AbortSignal): Promise<Reading> => {
    const [service, terminators, routers] = await Promise.all([
      client.services.get({ id }, { signal }),
      may('services', 'listTerminators') ? client.services.listTerminators({ id, limit: 1 }, { signal }) : undefined,
      may('edgeRouters', 'list') ? client.edgeRouters.list({ filter: 'online = true', limit: 1 }, { signal }) : undefined,
    ]);
    return { name: service.name, isHosted: terminators && terminators.data.length > 0, hasRouter: routers && routers.data.length > 0 };
  };
  const kinds = ['service', 'terminator'];
  const isDone = ({ isHosted, hasRouter }: Reading): boolean => isHosted !== false && hasRouter !== false;
  const loaded = useFollowed(session, `published ${id}`, { kinds, read, isDone });
  const { name = '', isHosted, hasRouter } = loaded.value ?? {};
  const mayShowAccess = settings.features.includes('access') && may('access', 'reach');
  return (
    <Created
      loaded={loaded}
      way="publish-service"
      title={t.published(name)}
      ticks={[
        { key: 'created', isDone: true, text: t.status.created },
        ...(hasRouter === undefined ? [] : [{ key: 'router', isDone: hasRouter, text: t.status.router }]),
        ...(isHosted === undefined ? [] : [{ key: 'hosted', isDone: isHosted, text: t.status.hosted }]),
      ]}
      links={[
        { text: t.open, segments: ['entities', 'services', id] },
        ...(mayShowAccess ? [{ text: t.access, segments: ['access'], query: { services: id } }] : []),
      ]}
      another={t.another}
    />
  );
};
