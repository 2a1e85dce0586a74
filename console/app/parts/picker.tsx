import { useId, useState } from 'preact/hooks';
import { type Entity, titleOf } from '../kinds.ts';
import { useFoundEntities } from '../references.ts';
import { texts } from '../texts.ts';
import { Combobox } from './combobox.tsx';
import { detailOf } from './entity-detail.ts';

interface Props {
  readonly label: string;
  /** The group of the typed client. */
  readonly group: string;
  readonly choose: (entity: Entity) => void;
}

/** Finds an entity by a part of its name, to act on it at once. */
export const Picker = ({ label, group, choose }: Props) => {
  const id = useId();
  const [text, setText] = useState('');
  const [isWanted, setWanted] = useState(false);
  const { data, more } = useFoundEntities(group, text.trim(), isWanted);
  return (
    <div class="picker">
      <label for={id}>{label}</label>
      <Combobox
        id={id}
        listLabel={label}
        text={text}
        setText={setText}
        options={data?.map((entity) => ({ key: entity.id, label: titleOf(entity), detail: detailOf(group, entity), entity }))}
        activatesFirst
        choose={({ entity }) => choose(entity)}
        note={more > 0 && texts.pickers.more(more)}
        input={{ onFocus: () => setWanted(true) }}
      />
      {data?.length === 0 && <p class="muted small">{texts.noMatch}</p>}
    </div>
  );
};
