import { useEffect, useId, useState } from 'preact/hooks';
import { formsOf } from '../schema.ts';
import { session } from '../session.ts';
import { texts } from '../texts.ts';
import { AttributesInput } from './roles-input.tsx';

interface Props {
  readonly group: string;
  /** The action on the entities, as the label of the field. */
  readonly action: string;
  readonly enter: (attributes: readonly string[]) => void;
  readonly cancel: () => void;
}

/** Asks for role attributes, completed from those in use. */
export const AttributesForm = ({ group, action, enter, cancel }: Props) => {
  const id = useId();
  const [entered, setEntered] = useState<readonly string[]>([]);
  useEffect(() => document.getElementById(id)?.focus(), []);
  const current = session.get();
  const field =
    current &&
    formsOf(current, group, 'patch')
      .flatMap(({ fields }) => fields)
      .find(({ entry }) => entry === 'attributes');
  if (!field) return null;
  return (
    <form
      class="field attributes"
      onSubmit={(event) => {
        event.preventDefault();
        if (entered.length > 0) enter(entered);
      }}
    >
      <label for={id}>{action}</label>
      <AttributesInput
        {...{ field, group, id }}
        shown={entered}
        change={(shown) => setEntered([shown].flat().map(String))}
        describedBy={undefined}
        isInvalid={false}
        isRequired={false}
      />
      <div class="actions">
        <button type="submit" class="primary" disabled={entered.length === 0}>
          {texts.bulk.proceed}
        </button>
        <button type="button" onClick={cancel}>
          {texts.cancel}
        </button>
      </div>
    </form>
  );
};
