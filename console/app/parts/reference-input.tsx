import { useState } from 'preact/hooks';
import { titleOf } from '../kinds.ts';
import { mayList } from '../names.ts';
import { rememberName, useFoundEntities, useNames } from '../references.ts';
import { labelOfField } from '../schema.ts';
import { texts } from '../texts.ts';
import { Combobox } from './combobox.tsx';
import { detailOf } from './entity-detail.ts';
import type { InputProps } from './input.tsx';

const t = texts.pickers;

/** Chooses one entity by its name. Without the right to list such entities, its id is entered. */
export const ReferenceInput = (props: InputProps & { readonly group: string; readonly label?: string }) => {
  const { field, shown, change, id, describedBy, isInvalid, isRequired, group } = props;
  const chosen = typeof shown === 'string' ? shown : '';
  const [typed, setTyped] = useState<string>();
  const [isWanted, setWanted] = useState(false);
  const name = useNames(group, [chosen])(chosen);
  const { data, more } = useFoundEntities(group, typed?.trim() ?? '', isWanted);
  const { label = labelOfField(field) } = props;
  const options = data?.map((entity) => ({ key: entity.id, label: titleOf(entity), detail: detailOf(group, entity), entity }));
  const input = {
    required: isRequired,
    'aria-describedby': [describedBy, name === null && `${id}-missing`].filter(Boolean).join(' ') || undefined,
    ...(isInvalid ? { 'aria-invalid': true as const } : {}),
  };
  if (!mayList(group))
    return (
      <input {...input} id={id} type="text" autocomplete="off" value={chosen} onInput={(event) => change(event.currentTarget.value)} />
    );
  return (
    <>
      <div class="with-button">
        <Combobox
          id={id}
          listLabel={label}
          text={typed ?? name ?? chosen}
          setText={(text) => {
            setTyped(text === '' ? undefined : text);
            change('');
          }}
          options={options}
          activatesFirst={typed !== undefined}
          choose={({ entity }) => {
            rememberName(group, entity);
            setTyped(undefined);
            change(entity.id);
          }}
          press={(event) => {
            if (event.key === 'Enter' && typed !== undefined) event.preventDefault();
          }}
          invalidText={typed === undefined ? '' : t.chooseOne}
          note={more > 0 && t.more(more)}
          input={{
            ...input,
            onFocus: (event) => {
              setWanted(true);
              event.currentTarget.select();
            },
          }}
        />
        {chosen !== '' && (
          <button
            type="button"
            class="quiet"
            aria-label={t.clear(label)}
            onClick={() => {
              change('');
              document.getElementById(id)?.focus();
            }}
          >
            ×
          </button>
        )}
      </div>
      {name === null && (
        <p id={`${id}-missing`} class="wrong small">
          {t.missing}
        </p>
      )}
    </>
  );
};
