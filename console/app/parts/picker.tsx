import { useId, useState } from 'preact/hooks';
import { filter as filterText } from '../../../src/client/index.ts';
import { type Entity, entityApi, titleOf } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { texts } from '../texts.ts';

interface Props {
  readonly label: string;
  /** The group of the typed client. */
  readonly group: string;
  readonly choose: (entity: Entity) => void;
}

const MAX_FOUND = 8;

/** Finds an entity by a part of its name. */
export const Picker = ({ label, group, choose }: Props) => {
  const id = useId();
  const [entered, setEntered] = useState('');
  const text = entered.trim();
  const { value } = useLoaded(`pick ${group} ${text}`, async (signal) =>
    entityApi(group).list({ limit: MAX_FOUND, sort: 'name', ...(text ? { filter: filterText`name icontains ${text}` } : {}) }, { signal }),
  );
  return (
    <div class="picker">
      <label for={id}>{label}</label>
      <input id={id} type="search" autocomplete="off" value={entered} onInput={(event) => setEntered(event.currentTarget.value)} />
      <ul aria-label={label}>
        {(value?.data ?? []).map((entity) => (
          <li key={entity.id}>
            <button type="button" class="quiet" onClick={() => choose(entity)}>
              {titleOf(entity)}
            </button>
          </li>
        ))}
      </ul>
      {value && value.pagination.totalCount > MAX_FOUND && <p class="muted small">{texts.more(value.pagination.totalCount - MAX_FOUND)}</p>}
      {value?.data.length === 0 && <p class="muted small">{texts.noMatch}</p>}
    </div>
  );
};
