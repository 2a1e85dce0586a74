import { useEffect, useState } from 'preact/hooks';
import { versionOf } from '../../client/index.ts';
import { type Entity, groupOfCollection, type KindView } from './kinds.ts';
import { onChange, useLive } from './live.ts';
import { session } from './session.ts';
import { listenToTabs } from './tabs.ts';

/** True once an entity has been changed since it was read: in another tab or, if the session may read changes, by anyone. */
export const useOutdated = ({ group, kind }: KindView, entity: Entity | undefined): boolean => {
  const [outdated, setOutdated] = useState<Entity>();
  useLive(kind !== undefined && entity !== undefined && session.get()?.may('changes', 'list') === true);
  useEffect(() => {
    if (!entity) return undefined;
    const stops = [
      listenToTabs((message) => {
        if (message.is === 'changed' && isOf(message.path, group, entity.id)) setOutdated(entity);
      }),
      onChange((change) => {
        const isNewer = change.revision > (versionOf(entity) ?? Number.POSITIVE_INFINITY);
        if (change.entity === kind && change.entityId === entity.id && isNewer) setOutdated(entity);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [entity]);
  return entity !== undefined && outdated === entity;
};

const isOf = (path: string, group: string, id: string): boolean => {
  const [collection = '', changed] = String(path).split('/');
  return groupOfCollection(collection) === group && changed === id;
};
