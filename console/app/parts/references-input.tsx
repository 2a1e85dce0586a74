import { useState } from 'preact/hooks';
import { titleOf } from '../kinds.ts';
import { mayList } from '../names.ts';
import { rememberName, useFoundEntities, useNames } from '../references.ts';
import { texts } from '../texts.ts';
import { ChipsInput, entriesOf, useLimit } from './chips-input.tsx';
import { detailOf } from './entity-detail.ts';
import type { InputProps } from './input.tsx';

const t = texts.pickers;

/** Chooses several entities by their names. Without the right to list such entities, their ids are entered. */
export const ReferencesInput = (props: InputProps & { readonly group: string }) => {
  const { shown, change, group } = props;
  const [text, setText] = useState('');
  const [isWanted, setWanted] = useState(false);
  const ids = entriesOf(shown);
  const limited = useLimit();
  const nameOf = useNames(group, ids.slice(0, limited.limit));
  const { data, more } = useFoundEntities(group, text.trim(), isWanted);
  const options = data
    ?.filter(({ id }) => !ids.includes(id))
    .map((entity) => ({ key: entity.id, entry: entity.id, label: titleOf(entity), detail: detailOf(group, entity) }));
  return (
    <ChipsInput
      {...{ props, text, setText, options }}
      {...limited}
      note={more > 0 && t.more(more)}
      want={() => setWanted(true)}
      add={(id) => {
        const entity = data?.find((each) => each.id === id);
        if (entity) rememberName(group, entity);
        if (!ids.includes(id)) change([...ids, id]);
      }}
      entryOf={(given) => (mayList(group) || given === '' ? undefined : given)}
      nameOf={(id) => nameOf(id) ?? id}
      chip={(id) => <EntityChip id={id} name={nameOf(id)} />}
    />
  );
};

/** An entity by its name, or its id with a word if there is none any more. */
export const EntityChip = ({ id, name }: { readonly id: string; readonly name: string | null | undefined }) => (
  <>
    <span>{name ?? id}</span>
    {name === null && <span class="wrong small"> {t.gone}</span>}
  </>
);
