import { useContext, useState } from 'preact/hooks';
import { kindOf, titleOf } from '../kinds.ts';
import { filteredHref } from '../links.ts';
import { mayList } from '../names.ts';
import { isCountable, rememberName, useCount, useFoundAttributes, useFoundEntities, useNames } from '../references.ts';
import { selectionFilter } from '../selection.ts';
import { texts } from '../texts.ts';
import { ChipsInput, type EntryOption, entriesOf, useLimit } from './chips-input.tsx';
import { FormValues } from './form-values.ts';
import type { InputProps } from './input.tsx';
import { EntityChip } from './references-input.tsx';

const t = texts.pickers;
const ALL = '#all';

/** The filter of what the entries of a role array select; undefined for a text that no filter can hold. */
const filterOf = (semantic: string, entries: readonly string[]): string | undefined => {
  try {
    return selectionFilter(
      semantic,
      entries.map((role) => ({ role })),
    );
  } catch {
    return undefined; // a control character
  }
};

/** `12 identities` */
export const countText = (group: string, count: number): string => {
  const { label, singular } = kindOf(group) ?? { label: group, singular: group };
  return t.count(count, count === 1 ? singular : texts.inSentence(label));
};

/** A role attribute, with the number of entities that have it. */
const AttributeChip = ({ group, attribute, text }: { readonly group: string; readonly attribute: string; readonly text: string }) => {
  const count = useCount(group, filterOf('AnyOf', [`#${attribute}`]));
  return (
    <>
      <span>{text}</span>
      {count !== undefined && <span class="small muted"> {countText(group, count)}</span>}
    </>
  );
};

/** Role attributes of an entity, completed from those in use. */
export const AttributesInput = (props: InputProps & { readonly group: string }) => {
  const { shown, change, group } = props;
  const [text, setText] = useState('');
  const [isWanted, setWanted] = useState(false);
  const entries = entriesOf(shown);
  const limited = useLimit();
  const entered = attributeIn(text);
  const { data = [], more } = useFoundAttributes(group, entered ?? '', isWanted);
  const options = [
    ...(entered === undefined || data.includes(entered) ? [] : [{ key: 'new', entry: entered, label: t.newAttribute(entered) }]),
    ...data
      .toSorted((one, other) => Number(other === entered) - Number(one === entered))
      .map((attribute) => ({ key: `#${attribute}`, entry: attribute, label: attribute })),
  ].filter(({ entry }) => !entries.includes(entry));
  return (
    <ChipsInput
      {...{ props, text, setText, options }}
      {...limited}
      note={more > 0 && t.more(more)}
      want={() => setWanted(true)}
      add={(entry) => (entries.includes(entry) ? undefined : change([...entries, entry]))}
      entryOf={attributeIn}
      nameOf={(entry) => entry}
      chip={(entry) => <AttributeChip group={group} attribute={entry} text={entry} />}
    />
  );
};

/** The role attribute in a text, which people may enter with its sign; undefined for none. */
const attributeIn = (text: string): string | undefined => text.trim().replace(/^#/, '') || undefined;

/** The role array of a policy: `#attribute`, `@entity` by name, or `#all`. */
export const SelectorsInput = (props: InputProps & { readonly group: string }) => {
  const { shown, change, id, describedBy, group } = props;
  const [text, setText] = useState('');
  const [isWanted, setWanted] = useState(false);
  const entries = entriesOf(shown);
  const limited = useLimit();
  const nameOf = useNames(
    group,
    entries.slice(0, limited.limit).flatMap((entry) => idIn(entry) ?? []),
  );
  const { options, more, entities } = useSelectors(group, text.trim(), isWanted);
  const labelOfEntry = (entry: string): string => {
    const entityId = idIn(entry);
    return entityId === undefined ? entry : `@${nameOf(entityId) ?? entityId}`;
  };
  const add = (entry: string): void => {
    const entity = entities.find((each) => `@${each.id}` === entry);
    if (entity) rememberName(group, entity);
    // `#all` stands alone.
    if (!entries.includes(entry)) change(entry === ALL ? [ALL] : [...entries.filter((each) => each !== ALL), entry]);
  };
  return (
    <>
      <ChipsInput
        props={{ ...props, describedBy: [describedBy, `${id}-selected`].filter(Boolean).join(' ') }}
        {...{ text, setText, add }}
        {...limited}
        options={options?.filter(({ entry }) => !entries.includes(entry))}
        note={more > 0 && t.more(more)}
        want={() => setWanted(true)}
        entryOf={(given) => (/^#./.test(given) || (given.startsWith('@') && !mayList(group)) ? given : undefined)}
        nameOf={labelOfEntry}
        chip={(entry) => <SelectorChip group={group} entry={entry} name={nameOf(idIn(entry) ?? '')} />}
      />
      <SelectedCount id={`${id}-selected`} group={group} entries={entries} />
    </>
  );
};

const idIn = (entry: string): string | undefined => (entry.startsWith('@') ? entry.slice(1) : undefined);

interface SelectorChipProps {
  readonly group: string;
  readonly entry: string;
  readonly name: string | null | undefined;
}

const SelectorChip = ({ group, entry, name }: SelectorChipProps) => {
  const id = idIn(entry);
  if (id !== undefined) return <EntityChip id={`@${id}`} name={typeof name === 'string' ? `@${name}` : name} />;
  return entry === ALL ? <span>{t.all}</span> : <AttributeChip group={group} attribute={entry.slice(1)} text={entry} />;
};

/** The options for a text in a role array: attributes after `#`, entities after `@`, both without a sign. An exact match is first. */
const useSelectors = (group: string, text: string, isWanted: boolean) => {
  const mayBeAttribute = !text.startsWith('@');
  const attribute = text.replace(/^#/, '');
  const attributes = useFoundAttributes(group, attribute, isWanted && mayBeAttribute);
  const entities = useFoundEntities(group, text.replace(/^@/, ''), isWanted);
  // An attribute of this name would be the same entry as `#all`.
  const found = mayBeAttribute ? attributes.data?.filter((each) => each !== 'all') : [];
  const more = entities.more + (mayBeAttribute ? attributes.more : 0);
  if (!found || !entities.data) return { options: undefined, more, entities: [] };
  const isNew = mayBeAttribute && attribute !== '' && attribute !== 'all' && !found.includes(attribute);
  const isExact = ({ label }: EntryOption): boolean => label === text || label.slice(1) === text;
  const options: readonly EntryOption[] = [
    ...found.map((each) => ({ key: `#${each}`, entry: `#${each}`, label: `#${each}` })),
    ...entities.data.map((entity) => ({ key: `@${entity.id}`, entry: `@${entity.id}`, label: `@${titleOf(entity)}` })),
    ...(mayBeAttribute && 'all'.startsWith(attribute) ? [{ key: ALL, entry: ALL, label: ALL, detail: t.all }] : []),
    ...(isNew ? [{ key: 'new', entry: `#${attribute}`, label: `#${attribute}`, detail: t.unusedAttribute }] : []),
  ];
  return { options: [...options.filter(isExact), ...options.filter((each) => !isExact(each))], more, entities: entities.data };
};

/** The number of the entities that all entries select together, with a link to their list. */
const SelectedCount = ({ id, group, entries }: { readonly id: string; readonly group: string; readonly entries: readonly string[] }) => {
  const semantic = String(useContext(FormValues)['semantic'] ?? 'AnyOf');
  const filter = entries.length === 0 ? undefined : filterOf(semantic, entries);
  const count = useCount(group, filter);
  const href = filter === undefined ? undefined : filteredHref(group, filter);
  const known = count === undefined ? '' : t.selects(countText(group, count));
  const said = entries.length === 0 ? t.selectsNothing : isCountable(filter) ? known : t.tooMany;
  return (
    <p id={id} class="muted small" role="status">
      {href !== undefined && count !== undefined ? (
        <a href={href} target="_blank" rel="noreferrer">
          {said}
        </a>
      ) : (
        said
      )}
    </p>
  );
};
